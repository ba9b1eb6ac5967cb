// The sea: where a pixel's ray meets the moving surface before it meets land. Reads what is behind it, writes opaque.
#include "frame.glsl"
#include "atmosphere.glsl"
#include "curvature.glsl"
#include "tile.glsl"
#include "depth.glsl"
#include "bed.glsl"
#include "waves.glsl"
#include "shade.glsl"

uniform sampler2D behind;  // the finished picture without water

in vec3 v_ray;
in vec2 v_uv;
layout(location = 0) out vec4 out_colour;

// What a metre of water takes of red, green and blue, and the light it gives back from the deep; by eye.
const vec3 TAKES = vec3(0.42, 0.115, 0.092);
const vec3 DEEP = vec3(0.006, 0.046, 0.070);
const vec3 STIRRED = vec3(0.105, 0.150, 0.125);
const vec3 GLOW = vec3(0.040, 0.175, 0.140);
const float WAVES_SEEN_M = 900.0;  // beyond, the surface is flat and waves are only its shading
const float IOR = 1.333;

vec3 daylight() {
    return 0.55 * light_colour.rgb * max(light_direction.y, 0.0) + 0.9 * sky_light.rgb;
}

// Each layer moves a whole number of tiles in TIME_PERIOD_S, so the ripples wrap without a jump.
vec2 ripple(vec2 world, vec2 turn, vec2 tiles) {
    vec2 uv = tile_uv(world, turn) + tiles * (camera.w / TIME_PERIOD_S);
    return tile_slope(texture(noise_tile, uv), turn);
}

// Bright veins of sunlight on a bed `deep_m` under the surface; 1 on average.
float caustics(vec2 world, float deep_m) {
    vec2 slide = vec2(camera.w / TIME_PERIOD_S);
    float a = texture(noise_tile, tile_uv(world, vec2(931.0, 640.0)) + slide * vec2(237.0, 151.0)).r;
    float b = texture(noise_tile, tile_uv(world, vec2(-727.0, 982.0)) - slide * vec2(203.0, -171.0)).r;
    float vein = 1.0 - min(abs(a - 0.5) + abs(b - 0.5), 0.42) / 0.42;
    float sharp = smoothstep(0.0, 0.5, deep_m) * exp(-deep_m / 7.0);
    return 1.0 + sharp * (2.6 * vein * vein * vein - 0.55);
}

// What the mirrored ray meets: land that stands over the water, or the sky.
// Waves break its image into shreds too small to see: it is looked for along the calmer `direction`.
vec3 mirrored_scene(vec3 place, vec3 towards_sky, vec3 direction) {
    vec3 sky = sky_colour(towards_sky);
#if DETAIL == 0
    // A land horizon: how far the land at two distances along the ray stands over it.
    float over = -1.0;
    for (int n = 0; n < 2; ++n) {
        float reach = n == 0 ? 70.0 : 420.0;
        vec3 at = place + direction * reach;
        over = max(over, (bed_at(at.xz) - at.y - camera.y) / reach);
    }
    vec3 shore = vec3(0.070, 0.082, 0.044) * (0.5 * light_colour.rgb + sky_light.rgb);
    return mix(sky, mix(shore, sky, 0.25), smoothstep(-0.01, 0.05, over));
#else
    if (direction.y > 0.62) return sky;
    float reach = 9.0;
    float before = 0.0;
    bool hit = false;
    for (int n = 0; n < 12; ++n) {
        vec3 at = place + direction * reach;
        if (bed_at(at.xz) > at.y + camera.y) {
            hit = true;
            break;
        }
        before = reach;
        reach *= 1.62;
    }
    if (!hit) return sky;
    for (int n = 0; n < 4; ++n) {
        float middle = 0.5 * (before + reach);
        vec3 at = place + direction * middle;
        if (bed_at(at.xz) > at.y + camera.y) reach = middle;
        else before = middle;
    }
    vec3 at = place + direction * reach;
    vec3 land = apply_haze(vec3(0.070, 0.082, 0.044) * (0.5 * light_colour.rgb + sky_light.rgb), at);
    // The land is often in the picture itself: take its colour from there.
    vec4 clip = view_projection * vec4(round_earth(at), 1.0);
    vec2 uv = clip.xy / clip.w * 0.5 + 0.5;
    vec2 rim = min(uv, 1.0 - uv);
    float seen = clip.w > 0.0 ? smoothstep(0.0, 0.06, min(rim.x, rim.y)) : 0.0;
    if (seen > 0.0) {
        float there_m = scene_forward_m(uv);
        seen *= 1.0 - smoothstep(0.12, 0.30, abs(there_m - clip.w) / max(clip.w, 1.0));
        land = mix(land, texture(behind, uv).rgb, seen);
    }
    return land;
#endif
}

// Seen from under the surface: murk, the bright window of the surface, light on the bed.
vec3 under_water(float scene_m) {
    vec3 ray = normalize(v_ray);
    float lengths = length(v_ray);
    vec3 colour = texture(behind, v_uv).rgb;
    float path = min(scene_m, 1e4) * lengths;
    float to_surface = ray.y > 1e-4 ? sea.z / ray.y : 1e9;
    vec3 murk_deep = DEEP * daylight() * exp(-0.10 * vec3(1.6, 0.6, 0.45) * min(sea.z, 60.0));
    vec3 murk = murk_deep * (1.1 + 1.4 * smoothstep(-0.6, 0.8, ray.y));
    if (to_surface < path) {
        path = to_surface;
        vec2 world = tile_position(ray.xz * to_surface);
        float pixel_m = to_surface * viewport.w / max(ray.y, 0.05);
        Swell swell = swell_at(world, 1.0, pixel_m);
        vec2 slope = swell.slope + 0.10 * ripple(world, vec2(-131.0, 178.0), vec2(-61.0, 79.0))
            + 0.09 * ripple(world, vec2(410.0, -533.0), vec2(151.0, 203.0));
        vec3 normal = normalize(vec3(slope.x, -1.0, slope.y));
        vec3 out_ray = refract(ray, normal, IOR);
        if (dot(out_ray, out_ray) < 0.5) {
            // Beyond the critical angle the surface mirrors the deep.
            vec3 back = reflect(ray, normal);
            colour = murk_deep * (1.3 + 1.1 * smoothstep(-0.9, 0.1, back.y) + 3.0 * dot(slope, slope));
        } else {
            float facing = max(dot(-ray, normal), 0.0);
            float through = 1.0 - pow(1.0 - facing, 4.0);
            vec3 above = sky_colour(vec3(out_ray.x, max(out_ray.y, 0.0), out_ray.z));
            float sun = max(dot(out_ray, light_direction.xyz), 0.0);
            above += light_colour.rgb * (pow(sun, 220.0) * 5.0 + pow(sun, 12.0) * 0.25);
            // Land that stands over the window is in the picture already.
            vec3 land = texture(behind, v_uv + slope * 0.02).rgb;
            above = mix(above, land, scene_m < 1e8 ? 0.85 : 0.0);
            colour = mix(murk, above, 0.92 * through);
        }
    } else if (scene_m < 1e4) {
        vec3 place = v_ray * scene_m;
        float deep_m = sea.z - place.y;
        float lit = caustics(tile_position(place.xz), deep_m);
        colour *= mix(1.0, lit, exp(-path / 18.0)) * exp(-TAKES * 0.6 * max(deep_m, 0.0));
    }
#if DETAIL > 0
    // Shafts of light: what the surface gathers, followed down along the sun's way.
    float shafts = 0.0;
    vec2 slant = light_direction.xz / max(light_direction.y, 0.25);
    for (int n = 0; n < 3; ++n) {
        float reach = 2.5 + 5.0 * float(n);
        vec3 at = ray * reach;
        vec2 source = tile_position(at.xz + slant * (sea.z - at.y));
        float bright = texture(noise_tile, tile_uv(source, vec2(233.0, -170.0)) + vec2(29.0, 41.0) * (camera.w / TIME_PERIOD_S)).r;
        shafts += reach < path ? smoothstep(0.50, 0.85, bright) * exp(-0.10 * (sea.z - at.y)) : 0.0;
    }
    murk *= 0.90 + 0.42 * shafts * min(light_direction.y * 2.0, 1.0);
#endif
    vec3 kept = exp(-vec3(0.125, 0.044, 0.038) * path);
    return colour * kept + murk * (1.0 - kept);
}

void main() {
    float scene_m = scene_forward_m(v_uv);
    if (sea.z > 0.0) {
        out_colour = vec4(under_water(scene_m), 1.0);
        return;
    }
    float lengths = length(v_ray);
    vec3 eye = -v_ray / lengths;
    float water_m = meet_level(v_ray, sea.x);
    // The surface rises over its level: a ray that passes over that may still meet a wave or the swash.
    float most = waters.y + 1.6 * waters.x;
    float soonest_m = meet_level(v_ray, min(sea.x + most, -0.05));
    if (soonest_m < 0.0 || soonest_m >= scene_m) discard;
    if (water_m < 0.0) water_m = min(4.0 * soonest_m, 1e6);
    if (water_m >= 1.02 * scene_m + 60.0 && scene_m < 1e8) discard;

    // The surface moves: follow the ray to where it is.
    float deep_m = 1e3, swash = 0.0;
    float flat_share = smoothstep(0.55 * WAVES_SEEN_M, WAVES_SEEN_M, water_m * lengths);
    Swell swell = Swell(0.0, vec2(0.0), 0.0, 0.0);
    vec2 world = vec2(0.0);
    float share = 1.0, pixel_m = 1.0;
    #if DETAIL > 0
    int steps = flat_share >= 1.0 ? 1 : water_m * lengths < 150.0 ? 4 : 2;
#else
    int steps = waters.x > 1.5 ? 2 : 1;
#endif
    for (int n = 0; n < steps; ++n) {
        vec2 across = v_ray.xz * water_m;
        world = tile_position(across);
        deep_m = sea.y - bed_at(across);
        share = breaking_share(deep_m);
        float away_m = water_m * lengths;
        pixel_m = away_m * viewport.w * 1.2 / max(sqrt(max(-v_ray.y, 0.002) / lengths), 0.06);
        swell = swell_at(world, share, pixel_m);
        if (flat_share >= 1.0) break;
        swash = swash_at(world, deep_m);
        float rise = (1.0 - flat_share) * (swell.height + swash);
        float met = meet_level(v_ray, min(sea.x + rise, -0.03));
        if (met < 0.0) break;
        water_m = mix(water_m, met, n == 0 ? 1.0 : 0.7);
    }
    if (water_m >= scene_m) discard;
    vec3 place = v_ray * water_m;
    float distance_m = length(place);

    float depth_m = scene_m > 1e8 ? 200.0 : max(-(scene_m - water_m) * v_ray.y, 0.0);
    float through_m = scene_m > 1e8 ? 400.0 : (scene_m - water_m) * lengths;
    // Far off the maps end, and what is seen through the water says how deep it is.
    if (deep_m > 2e4) deep_m = depth_m;
    float thick_m = max(deep_m + swash + swell.height, 0.0);

    // Ripples on the waves; less of them in the film that runs up the beach.
    // Gusts: darker and lighter fields that keep the few waves there are from showing as a lattice.
    float gust = texture(noise_tile, tile_uv(world, vec2(7.0, -4.0)) + vec2(11.0, 3.0) * (camera.w / TIME_PERIOD_S)).r;
    gust = 0.45 + 0.75 * gust + 0.6 * (texture(noise_tile, tile_uv(world, vec2(-17.0, 22.0))).r - 0.5);
    float wind = (0.030 + 0.045 * min(waters.x, 2.0)) * gust;
    float calm = smoothstep(0.0, 0.5, thick_m);
    float fine = 1.0 / (1.0 + distance_m / 90.0);
    vec2 slope = swell.slope * mix(1.0, 0.25 + 0.75 * gust, smoothstep(60.0, 350.0, distance_m));
    slope -= ripple(world, vec2(58.0, 27.0), vec2(43.0, 17.0)) * wind * 0.9;
    slope -= ripple(world, vec2(-131.0, 178.0), vec2(-61.0, 79.0)) * wind * calm * 1.2;
    slope -= ripple(world, vec2(410.0, -533.0), vec2(151.0, 203.0)) * wind * (1.5 * fine) * (0.3 + 0.7 * calm);
    // Ripples that are too small to be seen make the mirror rough.
    float variance = swell.variance + wind * wind * (0.10 + 0.55 * (1.0 - fine)) + 0.0004;
    vec3 normal = normalize(vec3(-slope.x, 1.0, -slope.y));

    // Source: Bruneton, Neyret and Holzschuch, "Real-time Realistic Ocean Lighting using Seamless Transitions from
    // Geometry to BRDF" (2010), the fit of Fresnel's reflectance over a rough surface.
    float sigma = sqrt(variance);
    float facing = max(dot(normal, eye), 0.02);
    float fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0 * exp(-2.69 * sigma)) / (1.0 + 22.7 * pow(sigma, 1.5));

    vec3 mirrored = reflect(-eye, normal);
    // Of a rough surface seen at a slant the parts that face the eye show most, and they mirror what is higher.
    mirrored.y = abs(mirrored.y) + 0.6 * sigma * (1.0 - facing);
    mirrored = normalize(mirrored);
    vec3 steady = reflect(-eye, normalize(vec3(-slope.x, 4.0, -slope.y)));
    steady.y = abs(steady.y) + 0.3 * sigma * (1.0 - facing);
    vec3 reflection = mirrored_scene(place, mirrored, normalize(steady));

    // Sun glitter from the distribution of slopes. Source: Cox and Munk, "Measurement of the Roughness of the Sea
    // Surface from Photographs of the Sun's Glitter" (1954), isotropic Gaussian.
    vec3 halfway = normalize(eye + light_direction.xyz);
    vec2 wanted = -halfway.xz / max(halfway.y, 0.05);
    float spread = 2.0 * (variance + 0.0007);
    vec2 off = wanted - slope;
    float facets = exp(-dot(off, off) / spread) / (3.14159265 * spread);
    float toward = 1.0 - max(dot(halfway, eye), 0.0);
    float shine = (0.02 + 0.98 * pow(toward, 5.0)) * facets / (4.0 * facing * pow(max(halfway.y, 0.2), 4.0));
#if DETAIL > 0
    vec3 through_cloud = place + light_direction.xyz / max(light_direction.y, 0.08) * max(cloud.z - place.y, 0.0);
    float open = 1.0 - 0.75 * cloud_thickness(cloud.xy + through_cloud.xz / CLOUD_PERIOD_M);
#else
    float open = 1.0 - 0.75 * overcast;
#endif
    float sunny = mountain_light(place);
    vec3 glitter = light_colour.rgb * (min(shine, 14.0) * open * sunny);

    // The bed, bent by the surface; never what stands before it.
    vec2 uv = v_uv;
    float bent_m = scene_m;
#if DETAIL > 0
    vec3 right = normalize(ray_right.xyz);
    vec2 ahead = normalize(ray_forward.xz + vec2(1e-5));
    vec2 bent = vec2(dot(slope, right.xz), dot(slope, ahead)) * (0.30 * min(depth_m, 2.5) / (distance_m + 2.0));
    uv += bent * vec2(viewport.y * viewport.z, 1.0);
    bent_m = scene_forward_m(uv);
    if (bent_m <= water_m) {
        uv = v_uv;
        bent_m = scene_m;
    }
#endif
    float path_m = bent_m > 1e8 ? 400.0 : min((bent_m - water_m) * lengths, 400.0);
    float below_m = bent_m > 1e8 ? 200.0 : max(-(bent_m - water_m) * v_ray.y, 0.0);
    vec3 ground = texture(behind, uv).rgb;
    vec3 ground_seen = ground;
#if DETAIL > 0
    if (below_m < 12.0 && distance_m < 160.0) {
        float lit = caustics(tile_position(v_ray.xz * bent_m), below_m);
        ground *= mix(lit, 1.0, smoothstep(60.0, 160.0, distance_m));
    }
#endif
    // The light has come down as well, and refraction shortens the slant.
    float stirred = smoothstep(0.7, 3.5, waters.x) * exp(-max(deep_m, 0.0) / (1.0 + 1.6 * waters.x));
    vec3 takes = TAKES + stirred * vec3(0.55, 0.60, 0.85);
    vec3 kept = exp(-takes * (below_m + min(path_m, 2.6 * below_m + 0.2)));
    vec3 day = daylight();
    vec3 body = ground * kept + mix(DEEP, STIRRED, stirred) * day * (1.0 - kept);
    // The sun in a standing wave.
    float lens = max(swell.height, 0.0) * pow(max(dot(-eye, light_direction.xyz) * 0.5 + 0.5, 0.0), 3.0);
    body += sunny * GLOW * day * (1.0 - kept.r) * (0.10 + 0.55 * min(lens, 1.6));

    // Foam: along the edge of the swash, on waves that break over the shallows, on the crests of a storm.
    float patchy = texture(noise_tile, tile_uv(world, vec2(-43.0, 71.0))).r;
    float edge_foam = 1.0 - smoothstep(0.02, 0.16 + 0.30 * waters.y, thick_m);
    float trail = (1.0 - smoothstep(0.1, 0.5 + 1.1 * waters.x, deep_m)) * (0.35 + 0.5 * patchy);
    float surf_m = 1.9 * waters.x + 0.25;
    float zone = smoothstep(0.05, 0.35 * surf_m, deep_m) * (1.0 - smoothstep(0.55 * surf_m, surf_m, deep_m));
    // Shallow-water waves need 2·sqrt(depth / g) / slope to the shore, so crests run along lines of equal depth.
    float beat = fract(118.0 * (camera.w / TIME_PERIOD_S)) + 1.9 * sqrt(max(deep_m, 0.0)) + 0.5 * patchy;
    float roller = 0.5 + 0.5 * sin(TURN * beat);
    roller = pow(roller, 9.0) + 0.35 * pow(roller, 2.0) * patchy;
    float breakers = zone * roller * smoothstep(0.30, 1.2, waters.x) * smoothstep(0.34, 0.62, patchy + 0.12 * waters.x);
    float capped = smoothstep(0.15, 0.34, swell.crest + 0.16 * (patchy - 0.5)) * smoothstep(0.9, 2.4, waters.x);
    float rage = smoothstep(1.0, 4.0, waters.x);
    float white = max(max(0.85 * edge_foam, mix(0.55, 0.95, rage) * trail), max(breakers, 0.82 * capped));
    // White water is whole where it is young and tears into lace.
    float lace = texture(noise_tile, tile_uv(world, vec2(287.0, -190.0)) + vec2(0.0, camera.w * 24.0 / TIME_PERIOD_S)).r;
#if DETAIL > 0
    float bubbles = texture(noise_tile, tile_uv(world, vec2(1310.0, 830.0)) - vec2(camera.w * 40.0 / TIME_PERIOD_S)).g;
    lace = mix(lace, bubbles, 0.42 / (1.0 + distance_m / 50.0));
#endif
    float holes = 0.86 - 0.62 * white;
    float foam = smoothstep(holes, holes + 0.26, lace) * smoothstep(0.0, 0.10, white) / (1.0 + distance_m / 2500.0);
    // Far off single laces melt into a veil.
    foam = mix(foam, 0.45 * white * white, smoothstep(120.0, 700.0, distance_m));
    vec3 froth = vec3(0.78) * (0.62 * sunny * light_colour.rgb * max(dot(normal, light_direction.xyz), 0.12) + sky_light.rgb);

    vec3 colour = mix(body, reflection, clamp(fresnel, 0.0, 1.0)) + glitter * (1.0 - foam);
    colour = mix(colour, froth, 0.9 * foam);

    // From a height the rim of the view is a few pixels: the sea gives way to the sky before it.
    vec3 haze_kept = haze_transmittance(place, distance_m);
    haze_kept *= 1.0 - 0.75 * smoothstep(0.40, 0.90, length(place.xz) / haze.w);
    colour = colour * haze_kept + sky_colour(-eye) * (1.0 - haze_kept);
    // The very edge dissolves, so the waterline is not cut by the mesh and does not flicker from afar.
    float edge = smoothstep(0.0, 0.035 + 0.0006 * distance_m, depth_m);
    out_colour = vec4(mix(DETAIL > 0 ? texture(behind, v_uv).rgb : ground_seen, colour, edge), 1.0);
}
