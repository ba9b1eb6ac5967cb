#include "frame.glsl"
#include "foliage.glsl"
#include "shade.glsl"

uniform vec2 sun_offset;  // metres to the right and ahead by which the body's shadow lies off
uniform float strength;

in vec2 v_where;
in vec3 v_at;  // relative to the camera

layout(location = 0) out vec4 out_colour;

// Distance to the segment between two points.
float segment(vec2 p, vec2 a, vec2 b) {
    vec2 along = b - a;
    return length(p - a - along * clamp(dot(p - a, along) / max(dot(along, along), 1e-4), 0.0, 1.0));
}

void main() {
    // Wheels on the ground: narrow and dark. Body above: wide, soft, moved and stretched away from the sun.
    float wheels = 0.55 * (1.0 - smoothstep(0.02, 0.28, segment(v_where, vec2(0.0, -0.65), vec2(0.0, 0.65))));
    vec2 seat = vec2(0.0, -0.15);
    float body = 0.55 * (1.0 - smoothstep(0.10, 0.62, segment(v_where, seat + 0.25 * sun_offset, seat + sun_offset)));
    float rim = 1.0 - smoothstep(1.6, 2.0, length(v_where));
    // The body keeps off the sun, as far as cloud and mountain let it come; wheels keep off the sky, whatever the sun does.
    body *= cloud_shade(v_at) * mountain_light(v_at);
    float dark = (1.0 - (1.0 - wheels) * (1.0 - body)) * rim * strength;
    // Multiplied onto the land; the blue of the sky still reaches the shadow.
    out_colour = vec4(1.0 - dark * vec3(1.0, 0.97, 0.90), 1.0);
}
