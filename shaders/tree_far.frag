#include "frame.glsl"
#include "foliage.glsl"

uniform sampler2DArray far_colour;
uniform sampler2DArray far_normal;

in vec2 v_uv;
flat in vec3 v_right;
flat in vec3 v_up;
flat in vec3 v_toward;
flat in float v_tint;
flat in float v_broadleaved;
flat in float v_snow;
flat in vec3 v_through;
flat in vec3 v_air;
flat in float v_fade;
flat in float v_shade;
flat in int v_layer;

layout(location = 0) out vec4 out_colour;

void main() {
    vec3 where = vec3(v_uv, float(v_layer));
    vec4 texel = texture(far_colour, where);
    // Averaging thins a ragged crown, so the further it is minified the less coverage counts as leaf.
    vec2 step_x = dFdx(v_uv) * vec2(ATLAS_WIDTH, ATLAS_HEIGHT);
    vec2 step_y = dFdy(v_uv) * vec2(ATLAS_WIDTH, ATLAS_HEIGHT);
    float minified = 0.5 * log2(max(max(dot(step_x, step_x), dot(step_y, step_y)), 1.0));
    float least = mix(0.5, 0.26, clamp(minified / 3.5, 0.0, 1.0));
#if ALPHA_TO_COVERAGE > 0
    float coverage = clamp((texel.a - least) / max(fwidth(texel.a), 0.05) + 0.5, 0.0, 1.0);
    if (coverage <= 0.0 || faded_out(v_fade, gl_FragCoord.xy)) discard;
#else
    float coverage = 1.0;
    if (texel.a < least || faded_out(v_fade, gl_FragCoord.xy)) discard;
#endif
    vec3 facing = texture(far_normal, where).xyz * 2.0 - 1.0;
    vec3 normal = normalize(v_right * facing.x + v_up * facing.y + v_toward * facing.z);
    vec3 albedo = leaf_colour(texel.rgb, v_tint, v_broadleaved);
    float lost = leaves_lost(v_tint, v_broadleaved);
    if (lost > 0.0) {
        // Twigs are left of a bare crown: fewer fragments, and brown.
        float bits = texture(noise_tile, v_uv * 0.55 + v_tint * 7.0).g;
        if (v_uv.y < 0.78 && smoothstep(0.2, 0.8, bits) < 0.72 * lost) discard;
        albedo = mix(albedo, vec3(0.085, 0.068, 0.053), 0.9 * lost);
    }
    albedo = mix(albedo, SNOW_ON_LEAVES, v_snow * 0.8 * smoothstep(-0.05, 0.55, normal.y));
    vec3 colour = light_foliage(albedo, normal, v_shade, LEAVES_OPEN * (0.70 + 0.30 * (1.0 - v_uv.y)));
    out_colour = vec4(colour * v_through + v_air, coverage);
}
