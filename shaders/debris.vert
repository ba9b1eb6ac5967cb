// A particle that left a wheel: where it is now follows from where, when and how fast it left.
#include "frame.glsl"
#include "ground_colours.glsl"
#include "foliage.glsl"
#include "shade.glsl"

layout(location = 0) in vec4 start;   // relative to the camera; age, s
layout(location = 1) in vec4 motion;  // velocity, m/s; life, s
layout(location = 2) in vec4 look;    // kind, chance, how arid the ground is

out vec2 v_corner;
out vec3 v_colour;
out float v_opaque;
out float v_forward;
out float v_soft_m;
flat out float v_chance;
flat out int v_kind;

const vec2 CORNERS[6] = vec2[6](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));

void main() {
    v_kind = int(look.x + 0.5);
    v_chance = look.y;
    float t = start.w, share = clamp(t / motion.w, 0.0, 1.0);
    vec3 at = start.xyz;
    float radius;
    if (v_kind == 0 || v_kind == 3) {
        // Air stops dust within a fraction of a second, then it drifts with the wind and spreads.
        at += motion.xyz * ((1.0 - exp(-3.2 * t)) / 3.2) + vec3(0.55, 0.10, 0.33) * (t * t / (t + 0.6));
        radius = mix(0.11, 0.42 + 0.40 * look.y, 1.0 - (1.0 - share) * (1.0 - share));
        v_opaque = (0.26 + 0.36 * look.z) * smoothstep(0.0, 0.08, t) * (1.0 - share) * (1.0 - share);
        v_colour = mix(vec3(0.40, 0.33, 0.25), vec3(0.76, 0.62, 0.44), look.z);
        v_soft_m = 0.35;
        if (v_kind == 3) {
            // Powder falls back, and is finer than dust.
            at.y -= 1.1 * t * t;
            radius *= 0.62;
            v_opaque *= 1.9;
            v_colour = SNOW;
            v_kind = 0;
        }
    } else {
        at += motion.xyz * t + vec3(0.0, -4.9 * t * t, 0.0);
        radius = v_kind == 1 ? 0.014 + 0.016 * look.y : 0.010 + 0.014 * look.y;
        v_opaque = (v_kind == 1 ? 0.55 : 1.0) * (1.0 - share * share);
        v_colour = v_kind == 1 ? vec3(0.0) : ROCK * (0.6 + 0.7 * look.y);
        v_soft_m = 0.01;
    }
    vec3 sun = light_colour.rgb * (0.75 * cloud_shade(at) * mountain_light(at));
    vec3 lit = v_colour * (sun + 0.5 * (sky_light.rgb + ground_light.rgb));
    v_colour = v_kind == 1 ? 1.1 * sky_light.rgb + 0.10 * light_colour.rgb : lit;
    // None on the lens; never thinner than most of a pixel, but fainter.
    v_opaque *= smoothstep(0.4, 1.2, length(at));
    vec4 here = view_projection * vec4(at, 1.0);
    float pixels = radius * viewport.y / (max(here.w, 0.1) * 2.0 * length(ray_up.xyz));
    float shown = max(pixels, 0.6);
    v_opaque *= min(pixels / shown, 1.0);
    v_corner = CORNERS[gl_VertexID];
    here.xy += v_corner * (shown * 2.0) * viewport.zw * here.w;
    v_forward = here.w;
    gl_Position = here;
}
