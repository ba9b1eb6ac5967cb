#include "frame.glsl"
#include "atmosphere.glsl"
#include "curvature.glsl"
#include "lighting.glsl"
#include "ground.glsl"
#include "normals.glsl"
#include "runoff.glsl"
#if FAR_BAND == 0
#include "tracks.glsl"
#endif

in vec3 v_place;
in vec3 v_parent_normal;
in vec4 v_climate;
in vec3 v_texel;
flat in int v_layer;
in float v_sun;

layout(location = 0) out vec4 out_colour;

void main() {
    float distance_m = length(v_place);
    float pixel_m = 0.6 * length(fwidth(v_place.xz));
    vec3 normal = normalize(mix(own_normal(v_texel.xy, v_layer), v_parent_normal, v_texel.z));
    Ground ground = ground_at(v_place, normal, v_climate, distance_m);

#if FAR_BAND == 0
    // A print lies as deep as the ground gives way, and shows what it is pressed into.
    Track track = track_at(v_place.xz, pixel_m);
    float printed = track.press * (1.0 + 0.22 * track.tread);
    ground.albedo = mix(ground.albedo, ground.pressed, clamp(max(printed, 0.8 * track.worn), 0.0, 1.0) * ground.give);
    vec2 wall = track.slope * (PRINT_M * ground.give);
    ground.normal = normalize(ground.normal + vec3(wall.x, 0.0, wall.y) / (1.0 + length(wall)));
    ground.open_sky *= 1.0 - 0.35 * clamp(printed, 0.0, 1.0) * ground.give;
#endif

    float celsius = v_climate.r * 60.0 - 20.0;
    Wet wet = wet_at(v_place, normal, celsius, distance_m, pixel_m);
    ground.albedo *= wet_dark(wet, ground.albedo, celsius);
    ground.gloss = max(ground.gloss, 0.45 * max(rainfall.x, wet.stream.damp));

    // The sun goes behind clouds of the layer it shines through.
    vec2 through = v_place.xz + light_direction.xz / max(light_direction.y, 0.08) * max(cloud.z - v_place.y, 0.0);
    float shade = 1.0 - 0.62 * cloud_thickness(cloud.xy + through / CLOUD_PERIOD_M);

    shade *= ground.shade * v_sun;
    vec3 colour = light_surface(ground.albedo, ground.normal, shade, ground.open_sky);
    vec3 eye = -v_place / max(distance_m, 1e-3);
    float shine = pow(max(dot(ground.normal, normalize(eye + light_direction.xyz)), 0.0), 48.0);
    colour += light_colour.rgb * (shine * ground.gloss * 0.35 * shade);
    colour = water_on_land(colour, wet, v_place, normal, eye, shade, distance_m);
    out_colour = vec4(apply_haze(colour, round_earth(v_place)), 1.0);
}
