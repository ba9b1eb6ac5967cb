#include "frame.glsl"
#include "tile.glsl"

// Detail of the ground within a hundred metres: one material (low) or the two strongest, mixed by height.

uniform sampler2DArray ground_relief;  // slope x, slope z, tone, height
#if DETAIL > 0
uniform sampler2DArray ground_colour;  // colour over its mean, halved; gloss
#endif

const vec2 STRAIGHT = vec2(1211.0, 630.0);  // 3 m
const vec2 TURNED = vec2(-803.0, 1104.0);   // 3 m, turned against the other: no row of repeats
const float WALL_TURN = 1365.0 / TILE_PERIOD_M;

struct Strongest {
    int layer, second_layer;
    float weight, second_weight;
};

void offer(inout Strongest found, int layer, float weight) {
    if (weight > found.weight) {
        found.second_layer = found.layer;
        found.second_weight = found.weight;
        found.layer = layer;
        found.weight = weight;
    } else if (weight > found.second_weight) {
        found.second_layer = layer;
        found.second_weight = weight;
    }
}

struct Detail {
    vec3 tint;     // times the biome's colour
    vec2 slope;    // along world x and z
    float height;  // 0…1
    float shade;   // share of the sun that reaches it past its own relief
    vec3 dent;     // subtracted from the normal: relief of walls
};

vec2 detail_slope(vec4 relief, vec2 turn) {
    vec2 d = (relief.rg * 2.0 - 1.0) * MOST_SLOPE;
    return vec2(turn.x * d.x + turn.y * d.y, -turn.y * d.x + turn.x * d.y) / length(turn);
}

#if DETAIL > 0
struct Sampled {
    vec4 relief;  // slopes along world x and z, in the range of the texture; tone, height
    vec3 tint;
};

Sampled sampled(int layer, vec2 world, float turned, vec4 grad_x, vec4 grad_z) {
    vec3 straight = vec3(tile_uv(world, STRAIGHT), float(layer));
    vec3 other = vec3(tile_uv(world, TURNED), float(layer));
    vec4 a = textureGrad(ground_relief, straight, grad_x.xy, grad_z.xy);
    vec4 b = textureGrad(ground_relief, other, grad_x.zw, grad_z.zw);
    vec2 slope = mix(detail_slope(a, STRAIGHT), detail_slope(b, TURNED), turned);
    vec3 tint = mix(
        textureGrad(ground_colour, straight, grad_x.xy, grad_z.xy).rgb,
        textureGrad(ground_colour, other, grad_x.zw, grad_z.zw).rgb,
        turned
    );
    return Sampled(vec4(slope, mix(a.b, b.b, turned), mix(a.a, b.a, turned)), tint * 2.0);
}

float height_at(int layer, vec2 world, float turned, vec4 grad_x, vec4 grad_z) {
    float a = textureGrad(ground_relief, vec3(tile_uv(world, STRAIGHT), float(layer)), grad_x.xy, grad_z.xy).a;
    float b = textureGrad(ground_relief, vec3(tile_uv(world, TURNED), float(layer)), grad_x.zw, grad_z.zw).a;
    return mix(a, b, turned);
}
#endif

// `variety` 0…1 is noise of some metres; `wall` is the share that is seen from the side, `facing_z` of which plane.
Detail detail_at(Strongest found, vec3 place, vec3 normal, float variety, float wall, float facing_z, float distance_m) {
    vec2 world = tile_position(place.xz);
    Detail made = Detail(vec3(1.0), vec2(0.0), 0.5, 1.0, vec3(0.0));
#if DETAIL == 0
    // Without anisotropic filtering a sharper level is read, or the ground smears a few metres ahead.
    vec4 relief = texture(ground_relief, vec3(tile_uv(world, STRAIGHT), float(found.layer)), GRAZING_BIAS);
    made.tint = vec3(1.0 + (2.0 * relief.b - 1.0) * (1.0 - 0.8 * wall));
    made.slope = detail_slope(relief, STRAIGHT) * (1.0 - wall);
    made.height = relief.a;
#else
    float turned = smoothstep(0.40, 0.60, variety);
    float sharp = exp2(GRAZING_BIAS);
    vec4 grad_x = vec4(dFdx(tile_uv(place.xz, STRAIGHT)), dFdx(tile_uv(place.xz, TURNED))) * sharp;
    vec4 grad_z = vec4(dFdy(tile_uv(place.xz, STRAIGHT)), dFdy(tile_uv(place.xz, TURNED))) * sharp;
#if DETAIL > 1
    // Relief mapping: the eye's ray through the material's height, then the light's ray back out of it.
    // Source: Policarpo, Oliveira and Comba, "Real-Time Relief Mapping on Arbitrary Polygonal Surfaces" (2005).
    float reach = (1.0 - smoothstep(9.0, 16.0, distance_m)) * (1.0 - wall);
    if (reach > 0.0) {
        float deep = RELIEF_M[found.layer] * reach;
        vec3 eye = -place / distance_m;
        float up = dot(normal, eye);
        vec2 along = (eye - normal * up).xz / max(up, 0.22);
        const int STEPS = 10;
        float before = 1.0, gap_before = 0.0, level = 1.0;
        for (int step = 1; step <= STEPS; ++step) {
            float ray = 1.0 - float(step) / float(STEPS);
            float gap = height_at(found.layer, world - along * (deep * (1.0 - ray)), turned, grad_x, grad_z) - ray;
            if (gap >= 0.0) {
                level = mix(before, ray, gap_before / max(gap_before + gap, 1e-4));
                break;
            }
            before = ray;
            gap_before = -gap;
            level = ray;
        }
        world -= along * (deep * (1.0 - level));
        float light = dot(normal, light_direction.xyz);
        vec2 lightward = (light_direction.xyz - normal * light).xz / max(light, 0.15);
        float hidden = 0.0;
        for (int step = 1; step <= 6; ++step) {
            float rise = (1.0 - level) * float(step) / 6.5 + 0.03;
            float over = height_at(found.layer, world + lightward * (deep * rise), turned, grad_x, grad_z);
            hidden = max(hidden, (over - level - rise) * (1.0 - float(step) / 9.0));
        }
        made.shade = 1.0 - 0.85 * clamp(hidden * 6.0, 0.0, 1.0) * reach;
    }
#endif
    Sampled first = sampled(found.layer, world, turned, grad_x, grad_z);
    Sampled second = sampled(found.second_layer, world, turned, grad_x, grad_z);
    // What stands higher comes through first, so stones lie in grass instead of fading into it.
    float share = found.second_weight / max(found.weight + found.second_weight, 1e-4);
    float blend = clamp(share * 3.0 - 1.0 + (second.relief.a - first.relief.a), 0.0, 1.0) * step(0.01, share);
    made.tint = mix(first.tint, second.tint, blend);
    made.slope = mix(first.relief.xy, second.relief.xy, blend) * (1.0 - wall);
    made.height = mix(first.relief.a, second.relief.a, blend);
    if (wall > 0.0) {
        float above = place.y + camera.y;
        vec3 seen_x = vec3(vec2(world.y, above) * WALL_TURN, float(LAYER_ROCK));
        vec3 seen_z = vec3(vec2(world.x, above) * WALL_TURN, float(LAYER_ROCK));
        vec3 tint = mix(texture(ground_colour, seen_x).rgb, texture(ground_colour, seen_z).rgb, facing_z) * 2.0;
        vec4 relief = mix(texture(ground_relief, seen_x), texture(ground_relief, seen_z), facing_z);
        made.tint = mix(made.tint, tint, wall);
        vec2 knock = (relief.rg * 2.0 - 1.0) * MOST_SLOPE * wall;
        made.dent = vec3(knock.x * facing_z, knock.y, knock.x * (1.0 - facing_z));
    }
#endif
    return made;
}

// Slope of the recipe's bumps that only shade. They never tilt the land past 42°, however high the recipe has them.
vec2 micro_slope(vec2 world, float distance_m) {
    vec2 turn = vec2(micro.x, 0.0);
    vec2 slope = tile_slope(texture(noise_tile, tile_uv(world, turn)), turn) * micro.y;
    return slope / (1.0 + length(slope) / 0.9) * (1.0 - smoothstep(0.4 * micro.z, micro.z, distance_m));
}
