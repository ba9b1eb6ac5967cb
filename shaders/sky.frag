#include "frame.glsl"
#include "atmosphere.glsl"
#include "curvature.glsl"
#include "tile.glsl"

in vec3 v_ray;
layout(location = 0) out vec4 out_colour;

// Stars sit in cells of a cube around the eye; one in some is lit.
float stars(vec3 direction) {
    vec3 cell = floor(direction * 170.0);
    vec3 q = fract(cell * vec3(0.1031, 0.1130, 0.0973));
    q += dot(q, q.yzx + 33.33);
    float pick = fract((q.x + q.y) * q.z);
    vec3 off = fract(direction * 170.0) - 0.5;
    return step(0.9965, pick) * smoothstep(0.32, 0.05, length(off)) * (0.35 + 650.0 * (pick - 0.9965) * 0.4);
}

void main() {
    vec3 direction = normalize(v_ray);
    vec3 colour = sky_colour(direction);
    if (direction.y > horizon_slope() * length(direction.xz)) {
        float toward = dot(direction, sun_direction.xyz);
        colour += disc.rgb * smoothstep(0.99990, 0.99996, toward);
        if (sun_direction.w < 0.7) {
            float thin = smoothstep(0.02, 0.30, direction.y);
            colour += vec3(0.55, 0.60, 0.72) * stars(direction) * thin * (1.0 - sun_direction.w / 0.7);
            float moon = dot(direction, light_direction.xyz);
            colour += vec3(0.85, 0.88, 0.95) * smoothstep(0.99991, 0.99996, moon) * (1.0 - sun_direction.w);
        }
        float high = smoothstep(0.035, 0.16, direction.y);
        if (high > 0.0) {
            vec2 reach = direction.xz / direction.y * cloud.z;
            vec2 uv = cloud.xy + reach / CLOUD_PERIOD_M;
            float thick = cloud_thickness(uv);
            if (thick > 0.0) {
                // Thickness a little toward the sun darkens the far side.
                vec2 sunward = light_direction.xz / max(light_direction.y, 0.25) * 0.013;
                float behind = cloud_thickness(uv + sunward);
                float lit = exp(-1.5 * behind) * 0.75 + 0.25;
                float rim = pow(max(toward, 0.0), 12.0) * (1.0 - thick) * 1.4;
                vec3 white = light_colour.rgb * (0.40 * lit + 0.25 * rim) + sky_light.rgb * (0.72 - 0.22 * thick);
                vec3 hazy = mix(sky_colour(direction), white, exp(-length(reach) / (0.9 * haze.w + 6000.0)));
                colour = mix(colour, hazy, min(thick * 1.25, 0.96) * high);
            }
        }
    }
    out_colour = vec4(colour, 1.0);
}
