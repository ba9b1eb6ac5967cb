#include "frame.glsl"

// Radiance of the clear sky without disc and clouds. Below the horizon it is the horizon's colour, so that
// land faded by haze and the sky behind it meet without a line.
vec3 sky_colour(vec3 direction) {
    vec3 d = normalize(vec3(direction.x, max(direction.y, 0.0), direction.z) + vec3(0.0, 1e-4, 0.0));
    float low = 1.0 - d.y;
    float low2 = low * low;
    float band = low2 * low2;
    vec3 colour = mix(zenith.rgb, horizon.rgb, band * (0.28 + 0.72 * band * low2));
    float toward = max(dot(d, sun_direction.xyz), 0.0);
    float wide = toward * toward;
    float tight = wide * wide;
    tight *= tight;
    tight *= tight;
    return colour + glow.rgb * (wide * toward * (0.25 + 0.95 * band) * 0.42 + tight * 0.9);
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
