#include "frame.glsl"
#include "tile.glsl"

uniform int settled;  // 1 in the second of the two passes

in vec2 v_where;
flat in vec4 v_shape;
flat in float v_kept;
flat in vec3 v_look;

layout(location = 0) out vec4 out_colour;

void main() {
    float across = abs(v_where.x), along = v_where.y;
    float radius = v_shape.y;
    // Leaves and gaps: the outline is ragged and light falls through.
    float dapple = texture(noise_tile, v_where * 0.045 + v_look.z * 7.0).r - 0.5;
    float soft = 0.22 * radius + 0.035 * max(along, 0.0);
    float outside;
    if (v_look.y < 0.5) {
        // A cone: as wide as the crown at the foot, a point at the tip.
        float wide = radius * clamp(1.0 - along / v_shape.x, 0.0, 1.0);
        outside = along > 0.0 ? across - wide : length(v_where) - radius;
    } else {
        vec2 from = vec2(v_where.x, (along - v_shape.z) * radius / v_shape.w);
        float trunk = along > 0.0 && along < v_shape.z ? across - 0.10 * radius : 1e3;
        outside = min(length(from) - radius, trunk);
    }
    outside += dapple * 0.9 * radius;
    float shadow = (1.0 - smoothstep(-soft, soft, outside)) * 0.86 * (1.0 - 0.35 * smoothstep(0.4, 1.0, along / v_shape.x));
    // Under the crown less of the sky is seen, whatever the sun does.
    float below = 0.42 * (1.0 - smoothstep(0.15 * radius, 1.1 * radius, length(v_where)));
    // Into alpha: the pass keeps the least of all shadows there, because two shadows are no darker than one.
    float kept = mix(1.0, v_kept, shadow * v_look.x) * (1.0 - below * v_look.x);
    out_colour = vec4(settled > 0 ? 1.0 : kept);
}
