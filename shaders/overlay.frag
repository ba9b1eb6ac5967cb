#include "frame.glsl"

uniform vec3 colour;
uniform float opacity;
uniform float half_width;

in float v_side;
in float v_opacity;

layout(location = 0) out vec4 out_colour;

void main() {
    // A bright core with a dark rim reads on snow and on forest.
    float away = abs(v_side);
    float cover = 1.0 - smoothstep(half_width - 0.5, half_width + 1.0, away);
    float core = 1.0 - smoothstep(half_width * 0.45, half_width * 0.85, away);
    // The ring is a sign, not a thing: it looks the same by day and by night.
    out_colour = vec4(mix(colour * 0.12, colour, core) / exposure, cover * opacity * v_opacity);
}
