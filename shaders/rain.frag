#include "frame.glsl"
#include "depth.glsl"

in vec2 v_side;
in float v_forward;
in float v_faint;
layout(location = 0) out vec4 out_colour;

void main() {
    if (scene_forward_m(gl_FragCoord.xy * viewport.zw) <= v_forward) discard;
    float soft = (1.0 - v_side.x * v_side.x * 0.5) * (1.0 - abs(2.0 * v_side.y - 1.0) * 0.6);
    float opaque = v_faint * soft * 0.42;
    // Drops bend the light of the whole sky to the eye.
    vec3 colour = 1.15 * sky_light.rgb + 0.12 * light_colour.rgb;
    out_colour = vec4(colour, 1.0) * opaque;
}
