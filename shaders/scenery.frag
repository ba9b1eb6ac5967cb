#include "frame.glsl"
#include "atmosphere.glsl"
#include "foliage.glsl"
#include "lighting.glsl"
#include "shade.glsl"

in vec3 v_place;
in vec3 v_normal;
in vec3 v_albedo;
in vec2 v_grain;

layout(location = 0) out vec4 out_colour;

void main() {
    // Grain and cracks, too small for triangles, as far as the eye tells them apart.
    vec4 noise = texture(noise_tile, v_grain);
    float near = 1.0 - smoothstep(8.0, 70.0, length(v_place));
    float speck = (0.6 * noise.g + 0.4 * noise.r - 0.5) * near;
    vec3 colour = light_surface(v_albedo * (1.0 + 0.9 * speck), normalize(v_normal), cloud_shade(v_place) * mountain_light(v_place), 0.9);
    out_colour = vec4(apply_haze(colour, v_place), 1.0);
}
