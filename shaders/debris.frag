#include "frame.glsl"
#include "depth.glsl"
#include "tile.glsl"

in vec2 v_corner;
in vec3 v_colour;
in float v_opaque;
in float v_forward;
in float v_soft_m;
flat in float v_chance;
flat in int v_kind;

layout(location = 0) out vec4 out_colour;

void main() {
    float behind = scene_forward_m(gl_FragCoord.xy * viewport.zw) - v_forward;
    float round_edge = 1.0 - dot(v_corner, v_corner);
    if (behind <= 0.0 || round_edge <= 0.0) discard;
    float body = round_edge;
    if (v_kind == 0) {
        // Ragged, and soft where it meets the land.
        float puff = texture(noise_tile, v_corner * 0.05 + v_chance * 9.0).r;
        body = smoothstep(0.0, 0.9, round_edge * (0.45 + 1.1 * puff));
    } else {
        body = smoothstep(0.0, 0.5, round_edge);
    }
    float opaque = v_opaque * body * clamp(behind / v_soft_m, 0.0, 1.0);
    out_colour = vec4(v_colour, 1.0) * opaque;
}
