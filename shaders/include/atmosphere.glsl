#include "frame.glsl"

// Radiance of the sky by √sin(elevation) and cosine of the azimuth from the sun's; a: how much of the glow to add.
uniform sampler2D sky_table;

// Sine of elevation within which the sky goes over into the haze below it.
const float HORIZON_SOFT = 0.02;

// Radiance of the clear sky along a unit vector, without disc and clouds. Below the horizon it becomes the horizon's
// colour, so that land faded by haze and the sky behind it meet without a line; bit by bit, because √sin(elevation)
// is steepest where it ends, and a short view shows much haze below.
vec3 sky_colour(vec3 direction) {
    float up = min(0.5 * (direction.y + sqrt(direction.y * direction.y + HORIZON_SOFT * HORIZON_SOFT)), 1.0);
    vec2 level = direction.xz * inversesqrt(max(dot(direction.xz, direction.xz), 1e-8));
    float side = dot(level, sun_direction.xz) * inversesqrt(max(dot(sun_direction.xz, sun_direction.xz), 1e-8));
    vec2 texel = vec2(0.5 + 0.5 * side, sqrt(up)) * vec2(SKY_SIDES - 1.0, SKY_UPS - 1.0) + 0.5;
    vec4 sky = textureLod(sky_table, texel / vec2(SKY_SIDES, SKY_UPS), 0.0);
    // Henyey and Greenstein's phase of aerosol.
    float toward = dot(direction, sun_direction.xyz);
    const float G = MIE_ASYMMETRY;
    float x = 1.0 + G * G - 2.0 * G * toward;
    return sky.rgb + glow.rgb * (sky.a * (1.0 - G * G) / 12.566371 * inversesqrt(x * x * x));
}

// Share of light that reaches the camera from camera-relative `place`, per colour.
vec3 haze_transmittance(vec3 place, float distance_m) {
    // Part of the haze is everywhere, part lies in the valleys: the mean of exp(-y/H) along the ray.
    float rise = clamp(place.y / HAZE_SCALE_M, -6.0, 6.0);
    float mean_density = abs(rise) < 1e-3 ? 1.0 - 0.5 * rise : (1.0 - exp(-rise)) / rise;
    vec3 clear = exp(-haze.rgb * (distance_m * (0.45 + 0.55 * cloud.w * mean_density)));
    // The last stretch closes whatever the weather: nothing may pop at the rim of the view.
    return clear * (1.0 - smoothstep(0.80, 0.985, length(place.xz) / haze.w));
}

vec3 apply_haze(vec3 colour, vec3 place) {
    float distance_m = length(place);
    vec3 through = haze_transmittance(place, distance_m);
    return colour * through + sky_colour(place / max(distance_m, 1e-3)) * (1.0 - through);
}
