#include "frame.glsl"
#include "ground_colours.glsl"
#include "tile.glsl"
#include "woods.glsl"

// Where grass, flowers and small shrubs grow: a function of seed, place, climate and the drawn land alone. The mixture of
// turf, rock, sand and snow is that of ground.glsl, so that nothing stands where the land shows none of its soil.

uniform sampler2DArray page_heights;
uniform sampler2DArray page_climate;
uniform vec3 pages[PAGES];   // north-west corner in metres from the anchor; texture layer
uniform int page_count;
uniform int seed;
uniform ivec2 first_cell;    // of the grid that is drawn, in cells of CELL_M from the world's origin
uniform ivec2 first_corner;  // where it begins, metres from the anchor
uniform int columns;
uniform float reach_m;

const int TUFT = 0, FLOWER = 1, SHRUB = 2;

struct Plant {
    vec3 foot;      // relative to the camera
    vec3 normal;    // of the land
    float grown;    // 0 nothing stands here … 1
    vec3 turf;      // colour of the turf around it
    vec3 look;      // yaw in turns, tint, size: three numbers 0…1
    float flowers;  // which colour a patch of flowers has, 0…1
    float alpine;   // how high above the woods, 0…1
    float wood;     // how deep among trees
};

// Source: Mark Jarzynski and Marc Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020, pcg3d.
vec3 plant_chances(uvec3 v) {
    v = v * 1664525u + 1013904223u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v ^= v >> 16u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    return vec3(v >> 8u) / 16777216.0;
}

const Plant NO_PLANT = Plant(vec3(0.0), vec3(0.0, 1.0, 0.0), 0.0, vec3(0.0), vec3(0.0), 0.0, 0.0, 0.0);

// The plant number `index` of the grid.
Plant plant_at(int index) {
    int sub = index % (SIDE * SIDE);
    int cell = index / (SIDE * SIDE);
    ivec2 step_in = ivec2(cell % columns, cell / columns);
    ivec2 own = first_cell + step_in;
    uvec3 key = uvec3(uint(own.x), uint(own.y), uint(seed) + uint(KIND * 64 + sub) * 2654435769u);
    vec3 chance = plant_chances(key);
    vec2 within = (vec2(sub % SIDE, sub / SIDE) + chance.xy) / float(SIDE);
    vec2 at = vec2(first_corner + step_in * CELL_M) - camera.xz + within * float(CELL_M);

    // Each ends at a distance of its own: from afar fewer stand, and none comes or goes at full size.
    float distance_m = sqrt(dot(at, at) + altitude * altitude);
    float ends = reach_m * mix(0.35, 1.0, chance.z * chance.z);
    float grown = clamp((ends - distance_m) / (0.22 * ends), 0.0, 1.0);
    if (grown <= 0.0) return NO_PLANT;

    vec2 place_m = at + camera.xz;
    int page = -1;
    for (int n = 0; n < page_count; ++n) {
        vec2 inside = place_m - pages[n].xy;
        if (all(greaterThanEqual(inside, vec2(0.0))) && all(lessThan(inside, vec2(PAGE_M)))) page = n;
    }
    if (page < 0) return NO_PLANT;
    vec2 sample_at = place_m - pages[page].xy;
    vec2 low = floor(sample_at);
    vec2 share = sample_at - low;
    ivec3 texel = ivec3(ivec2(low) + APRON, int(pages[page].z));
    const ivec3 EAST = ivec3(1, 0, 0), SOUTH = ivec3(0, 1, 0);
    float nw = texelFetch(page_heights, texel, 0).r;
    float se = texelFetch(page_heights, texel + EAST + SOUTH, 0).r;
    // The two triangles of a quad, as the mesh splits it.
    bool east_side = share.x >= share.y;
    float other = texelFetch(page_heights, texel + (east_side ? EAST : SOUTH), 0).r;
    vec2 slope = east_side ? vec2(other - nw, se - other) : vec2(se - other, other - nw);
    float height = nw + dot(slope, share);
    vec3 normal = normalize(vec3(-slope.x, 1.0, -slope.y));
    vec4 climate = mix(
        mix(texelFetch(page_climate, texel, 0), texelFetch(page_climate, texel + EAST, 0), share.x),
        mix(texelFetch(page_climate, texel + SOUTH, 0), texelFetch(page_climate, texel + EAST + SOUTH, 0), share.x),
        share.y
    );

    vec2 world = tile_position(at);
    vec4 huge = textureLod(noise_tile, tile_uv(world, HUGE), 0.0);
    vec4 own_wide = textureLod(noise_tile, tile_uv(world, WIDE) + 0.22 * (huge.ba - 0.5), 0.0);
    vec2 bend = own_wide.ba - 0.5;
    vec4 broad = textureLod(noise_tile, tile_uv(world, BROAD) + 0.20 * bend, 0.0);
    vec4 own_middle =
        textureLod(noise_tile, tile_uv(world, MIDDLE) + 0.16 * bend + 0.14 * (broad.ba - 0.5), 0.0);
    vec4 middle = mix(own_middle, broad, 0.25);
    vec4 wide = mix(own_wide, huge, 0.2);
    vec4 fine = textureLod(noise_tile, tile_uv(world, FINE), 0.0);
    float rough = (wide.r - 0.5) * 0.9 + (middle.r - 0.5) * 0.7 + (fine.g - 0.5) * 0.5;
    float patchy = (huge.r - 0.5) * 0.5 + (broad.r - 0.5) * 0.55 + (middle.r - 0.5) * 0.35;

    float yearly = climate.r * 60.0 - 20.0 + rough * 5.0 + season.z;
    float celsius = yearly + season.x - season.z;
    float humid = clamp(climate.g + season.y, 0.0, 1.0);
    float steep = 1.0 - normal.y;
    float bed = 1.0 - smoothstep(-1.8, 0.5, height - waters.w + 1.6 * rough);
    float arid = smoothstep(19.0, 25.0, yearly) * (1.0 - smoothstep(0.22, 0.42, humid + 0.15 * rough));
    float bare = climate.b * 0.85 + smoothstep(0.20, 0.52, steep) * 0.95 + rough * 0.42;
    float scree = smoothstep(0.20, 0.40, bare + 0.24 * (middle.g - 0.5));
    float cold = 1.0 - smoothstep(-3.6, 0.4, celsius + 1.4 * (middle.g - 0.5));
    float shore = height - sea.y + rough * 1.2;
    float dry = smoothstep(1.6 + waters.y, 3.6 + waters.y, shore) * step(0.5, height - sea.y - sea.z);
    float soil = smoothstep(0.60, 0.82, fine.r + 0.25 * (middle.r - 0.5));
    float stand = 0.50 + (broad.r - 0.5) * 0.55 + (own_wide.r - 0.5) * 0.45 + (middle.g - 0.5) * 0.2;
    float wood = smoothstep(-0.10, 0.10, climate.a * standing_share(climate) * 1.16 - max(stand, 0.12)) * (1.0 - bed);
    float fertile = (1.0 - arid) * (1.0 - scree) * (1.0 - cold) * (1.0 - bed) * dry;
    float lush = smoothstep(0.06, 0.66, humid + patchy * 0.55);
    float high_up = 1.0 - smoothstep(1.5, 8.5, celsius);

    // A second draw: whether this one grows, how it turns and how large it is.
    vec3 draw = plant_chances(key + uvec3(7u, 13u, 0x51ED270Bu));
    float wanted;
    if (KIND == TUFT) {
        wanted = fertile * (0.62 + 0.38 * lush) * (1.0 - 0.55 * soil) * (1.0 - 0.72 * wood);
    } else if (KIND == FLOWER) {
        float patch_of = smoothstep(0.50, 0.66, 0.55 * middle.g + 0.45 * fine.g + 0.25 * (broad.g - 0.5));
        float blooms = clamp(0.62 + 0.38 * leaves.z, 0.0, 1.0) * (1.0 - leaves.x) * (1.0 - leaves.y);
        wanted = fertile * fertile * patch_of * smoothstep(0.08, 0.32, humid) * (1.0 - 0.85 * wood) * 0.55 * blooms;
    } else {
        float rim = wood * (1.0 - wood) * 4.0;
        float scrub = smoothstep(0.52, 0.72, 0.5 * own_middle.g + 0.5 * broad.r + 0.30 * (wide.r - 0.5));
        wanted = fertile * fertile * (0.03 + 0.12 * rim + 0.05 * wood + 0.14 * scrub)
            * smoothstep(0.08, 0.30, humid) * smoothstep(1.0, 6.0, yearly);
    }
    // Those that only just grow are small.
    grown *= smoothstep(0.0, 0.18, wanted - draw.x * 0.98 - 0.005);

    vec3 turf = mix(STRAW, LUSH, lush);
    turf = mix(turf, STRAW, 0.45 * leaves.x + 0.30 * leaves.y);
    turf = mix(turf, LUSH, 0.35 * leaves.z);
    turf = mix(turf, ALPINE, high_up) * (0.80 + 0.40 * middle.g);
    turf = mix(turf, mix(LUSH, NEEDLES, 0.3), 0.7 * wood);
    vec3 foot = vec3(at.x, height - camera.y, at.y);
    float flowers = fract(huge.g * 9.0 + broad.g * 3.0);
    return Plant(foot, normal, grown, turf, vec3(draw.yz, fract(chance.x * 91.7)), flowers, high_up, wood);
}
