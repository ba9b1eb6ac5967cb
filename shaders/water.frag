// The sea: where a pixel's ray meets the level plane before it meets land. Premultiplied alpha out.
#include "frame.glsl"
#include "atmosphere.glsl"
#include "curvature.glsl"
#include "tile.glsl"
#include "depth.glsl"

in vec3 v_ray;
in vec2 v_uv;
layout(location = 0) out vec4 out_colour;

const vec3 DEEP = vec3(0.006, 0.040, 0.066);
const vec3 SHALLOW = vec3(0.055, 0.215, 0.200);
const float CLARITY_M = 3.2;  // depth at which 1/e of the ground still shows

// Each layer moves a whole number of tiles in TIME_PERIOD_S, so the waves wrap without a jump.
vec2 wave_layer(vec2 world, vec2 turn, vec2 tiles) {
    vec2 uv = tile_uv(world, turn) + tiles * (camera.w / TIME_PERIOD_S);
    return tile_slope(texture(noise_tile, uv), turn);
}

void main() {
    float scene_m = scene_forward_m(v_uv);
    if (sea.z > 0.5) {
        // Under water: everything drowns in blue with distance; the surface above stays bright.
        float reach = min(scene_m, v_ray.y > 1e-4 ? sea.x / v_ray.y : 1e9) * length(v_ray);
        float lost = 1.0 - exp(-0.055 * min(reach, 1e4));
        float up = max(normalize(v_ray).y, 0.0);
        vec3 murk = (SHALLOW * (0.35 + 0.65 * up) + DEEP) * (sky_light.rgb + 0.25 * light_colour.rgb);
        out_colour = vec4(murk * (0.25 + 0.75 * lost), 0.25 + 0.75 * lost);
        return;
    }
    float water_m = meet_level(v_ray, sea.x);
    if (water_m < 0.0 || water_m >= scene_m) {
        discard;
    }
    vec3 place = v_ray * water_m;
    float distance_m = length(place);
    vec3 eye = -v_ray / length(v_ray);
    vec2 world = tile_position(place.xz);

    // Waves fade where they would be smaller than a pixel, and flatten toward the horizon.
    float calm = 1.0 / (1.0 + distance_m / 260.0);
    vec2 slope = wave_layer(world, vec2(58.0, 27.0), vec2(43.0, 17.0));
    slope += wave_layer(world, vec2(-131.0, 178.0), vec2(-61.0, 79.0)) * 0.7;
    vec3 normal = normalize(vec3(slope.x, 0.0, slope.y) * (0.055 + 0.16 * calm) * -1.0 + vec3(0.0, 1.0, 0.0));

    float depth_m = scene_m > 1e8 ? 200.0 : max(-(scene_m - water_m) * v_ray.y, 0.0);
    float through_m = scene_m > 1e8 ? 400.0 : (scene_m - water_m) * length(v_ray);

    float facing = max(dot(normal, eye), 0.0);
    float fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    vec3 mirrored = reflect(-eye, normal);
    mirrored.y = abs(mirrored.y);
    vec3 reflection = sky_colour(mirrored);
    float glint = max(dot(mirrored, light_direction.xyz), 0.0);
    reflection += light_colour.rgb * (pow(glint, 900.0) * 9.0 + pow(glint, 90.0) * 0.22);

    float clear = exp(-depth_m / CLARITY_M - through_m / (CLARITY_M * 7.0));
    vec3 body = mix(DEEP, SHALLOW, exp(-depth_m / (CLARITY_M * 2.4)));
    body *= 0.55 * light_colour.rgb * max(light_direction.y, 0.0) + 0.9 * sky_light.rgb;

    // Foam: a ragged band that breathes along the waterline.
    float swash = 0.5 + 0.5 * sin(camera.w * (6.2831853 * 192.0 / TIME_PERIOD_S) + world.x * 0.05 + world.y * 0.037);
    float lace = texture(noise_tile, tile_uv(world, vec2(287.0, -190.0)) + vec2(0.0, camera.w * 24.0 / TIME_PERIOD_S)).r;
    float bubbles = texture(noise_tile, tile_uv(world, vec2(1310.0, 830.0)) - vec2(camera.w * 40.0 / TIME_PERIOD_S)).g;
    lace = mix(lace, bubbles, 0.45 / (1.0 + distance_m / 60.0));
    float foam = smoothstep(0.56, 0.86, lace + 0.42 * (1.0 - depth_m / (0.45 + 0.5 * swash)));
    foam *= (1.0 - smoothstep(0.35, 1.25, depth_m)) / (1.0 + distance_m / 900.0);

    // The very edge dissolves, so the waterline is not cut by the mesh.
    float edge = smoothstep(0.0, 0.10 + 0.0006 * distance_m, depth_m);
    float opaque = 1.0 - clear * (1.0 - fresnel);
    vec3 colour = body * (1.0 - clear) * (1.0 - fresnel) + reflection * fresnel;
    vec3 white = vec3(0.75) * (0.6 * light_colour.rgb * max(light_direction.y, 0.1) + sky_light.rgb);
    colour = mix(colour, white, foam * 0.8);
    opaque = mix(opaque, 1.0, foam * 0.8);

    vec3 haze_kept = haze_transmittance(place, distance_m);
    colour = colour * haze_kept + sky_colour(-eye) * (1.0 - haze_kept) * opaque;
    out_colour = vec4(colour, opaque) * edge;
}
