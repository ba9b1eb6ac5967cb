#include "frame.glsl"
#include "atmosphere.glsl"
#include "foliage.glsl"
#include "lighting.glsl"
#include "shade.glsl"

in vec3 v_place;
in vec3 v_normal;
in vec3 v_albedo;
flat in float v_gloss;

layout(location = 0) out vec4 out_colour;

void main() {
    vec3 normal = normalize(v_normal);
    vec3 eye = normalize(-v_place);
    float shade = cloud_shade(v_place) * mountain_light(v_place);
    vec3 colour = light_surface(v_albedo, normal, shade, 1.0);
    // Paint and helmet: a highlight of the sun, and the sky at grazing angles (Schlick's approximation).
    float facing = max(dot(normal, eye), 0.0);
    float rim = 1.0 - facing;
    rim *= rim;
    float shine = pow(max(dot(normal, normalize(eye + light_direction.xyz)), 0.0), 60.0);
    colour += v_gloss * (light_colour.rgb * shine * shade + sky_light.rgb * (0.04 + 0.5 * rim * rim));
    out_colour = vec4(apply_haze(colour, v_place), 1.0);
}
