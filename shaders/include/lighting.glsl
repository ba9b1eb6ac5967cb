#include "frame.glsl"

// Diffuse light on a matt surface. `shade` 0…1 is how much of the sun reaches it, `open_sky` 0…1 how much sky.
vec3 light_surface(vec3 albedo, vec3 normal, float shade, float open_sky) {
    float facing = max(dot(normal, light_direction.xyz), 0.0);
    vec3 ambient = mix(ground_light.rgb, sky_light.rgb, 0.5 + 0.5 * normal.y) * open_sky;
    return albedo * (light_colour.rgb * (facing * shade) + ambient);
}
