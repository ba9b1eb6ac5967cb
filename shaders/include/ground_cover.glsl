#include "frame.glsl"
#include "ground_colours.glsl"
#include "ground_site.glsl"
#include "tile.glsl"
#include "woods.glsl"

// What covers the land at a point: turf, woods, the bed of the sea, rock.

struct Woods {
    float wood;   // share of forest
    float scrub;  // share of scrub and lone trees, too small for the climate's grid
    vec3 crowns;
};

struct Rock {
    float scree, cliff;  // shares; rock lies on scree
    vec3 rubble, stone;
    float sideways;         // share that is seen from the side, where the map seen from above would smear
    float facing_z;         // share of the plane across z
    vec4 wall, wall_fine;   // its noise from there
    vec4 fine;              // the finest scale, from whichever side
};

float bare_soil(Noise n) {
    return n.near * smoothstep(0.60, 0.82, n.fine.r + 0.25 * (n.middle.r - 0.5));
}

// Straw where dry, lush where wet, tan above the trees; dunes where nothing grows.
vec3 turf_at(Noise n, Site s) {
    vec3 turf = mix(STRAW, LUSH, smoothstep(0.06, 0.66, s.humid + n.patchy * 0.55));
    turf = mix(turf, STRAW, 0.45 * leaves.x + 0.30 * leaves.y);
    turf = mix(turf, LUSH, 0.35 * leaves.z);
    turf = mix(turf, ALPINE, 1.0 - smoothstep(1.5, 8.5, s.celsius));
    turf *= 0.80 + 0.40 * n.middle.g;
    turf = mix(turf, SOIL, 0.40 * bare_soil(n));
    // Tufts: dark between them, their tips dry.
    float tuft = smoothstep(0.18, 0.82, n.fine.g);
    turf *= mix(vec3(1.0), mix(vec3(0.70, 0.74, 0.70), vec3(1.38, 1.30, 1.14), tuft), n.near);
    return mix(turf, DUNE * (0.86 + 0.28 * n.middle.r), s.arid);
}

// Compared with noise down to the size of a crown, the density frays into single trees at the rim and opens into
// glades inside.
Woods woods_at(Noise n, Site s, vec4 climate, float distance_m) {
    Woods w;
    float blur = smoothstep(1500.0, 9000.0, distance_m);
    float crown = n.middle.g;
    float stand = 0.50 + (n.own_broad.r - 0.5) * 0.55 + (n.own_wide.r - 0.5) * 0.45 + (crown - 0.5) * (1.1 * n.afar + 0.2);
    float reach = mix(0.10, 0.26, blur);
    w.wood = smoothstep(-reach, reach, climate.a * standing_share(climate) * (1.06 + reach) - max(stand, 0.02 + reach));
    w.wood *= 1.0 - s.bed;
    w.scrub = smoothstep(0.62, 0.80, 0.5 * crown + 0.5 * n.own_broad.r + 0.30 * (n.wide.r - 0.5)) * n.afar;
    w.scrub *= smoothstep(0.20, 0.50, s.humid) * smoothstep(2.5, 7.0, s.yearly) * (1.0 - s.arid) * (1.0 - s.bed);
    float tone = clamp(0.5 + n.patchy * 1.3 + (crown - 0.5) * 0.9, 0.0, 1.0);
    vec3 crowns = mix(CANOPY, CANOPY_WARM, tone);
    // Broad leaves turn, each stand at its time, and fall; needles stay.
    float leafy = smoothstep(4.0, 13.0, s.yearly) * (0.22 + 0.63 * clamp((climate.g - 0.15) * 2.0, 0.0, 1.0));
    leafy = smoothstep(0.25, 0.75, leafy + 0.9 * (tone - 0.5));
    float turned = leafy * smoothstep(0.75 * crown, 0.75 * crown + 0.25, leaves.x);
    crowns = mix(crowns, mix(RUST, GOLD, clamp(0.5 + 2.2 * (n.own_broad.g - 0.5), 0.0, 1.0)), turned);
    crowns = mix(crowns, TWIGS, leafy * leaves.y * 0.85);
    w.crowns = crowns * (0.50 + 1.0 * crown);
    return w;
}

// Silt, sand and weed of a bed that fell dry.
vec3 silt_at(Noise n) {
    vec3 silt = mix(SILT, SAND * 0.8, smoothstep(0.35, 0.70, n.broad.g + 0.5 * (n.middle.r - 0.5)));
    silt *= 0.72 + 0.56 * n.middle.g;
    silt = mix(silt, WEED, 0.75 * smoothstep(0.58, 0.74, n.middle.r * 0.6 + n.own_broad.r * 0.4));
    return silt * mix(1.0, 0.70 + 0.60 * n.fine.g, n.near);
}

// Bare rock where the climate says so or where it is too steep for soil; scree gathers below it.
Rock rock_at(Noise n, Site s, vec3 normal, vec4 climate, float distance_m) {
    Rock r;
    float bare = climate.b * 0.85 + smoothstep(0.20, 0.52, s.steep) * 0.95 + n.rough * 0.42;
    r.scree = smoothstep(0.26, 0.54, bare + 0.24 * (n.middle.g - 0.5));
    r.cliff = smoothstep(0.44, 0.68, bare + 0.16 * (n.middle.g - 0.5));
    // Layers of rock, tilted and broken by noise. Each set goes before its layers are as thin as a pixel.
    float layers = s.above + 0.16 * n.world.x + (n.own_wide.r - 0.5) * 190.0 + (n.own_broad.r - 0.5) * 70.0;
    float thin = 0.0;
#if DETAIL > 0
    thin = sin(layers * 0.19 + (n.middle.r - 0.5) * 7.0) * (1.0 - smoothstep(350.0, 1500.0, distance_m));
#endif
    float thick = sin(layers * 0.047 + (n.own_broad.g - 0.5) * 3.0) * (1.0 - smoothstep(1800.0, 6500.0, distance_m));
    float strata = 0.5 + (0.22 * thin + 0.26 * thick) * (0.35 + 1.3 * n.own_broad.r);
    vec4 face = n.middle;
    r.fine = n.fine;
    r.sideways = 0.0;
    r.facing_z = 0.0;
    r.wall = r.wall_fine = vec4(0.5);
#if DETAIL > 0 && FAR_BAND == 0
    r.sideways = smoothstep(0.10, 0.40, s.steep);
    r.facing_z = normal.z * normal.z / max(normal.x * normal.x + normal.z * normal.z, 1e-4);
    r.wall = mix(
        texture(noise_tile, vec2(n.world.y, s.above) * WALL),
        texture(noise_tile, vec2(n.world.x, s.above) * WALL),
        r.facing_z
    );
    r.wall_fine = mix(
        texture(noise_tile, vec2(n.world.y, s.above) * WALL_FINE),
        texture(noise_tile, vec2(n.world.x, s.above) * WALL_FINE),
        r.facing_z
    );
    face = mix(n.middle, r.wall, r.sideways * (1.0 - smoothstep(700.0, 2200.0, distance_m)));
    r.fine = mix(n.fine, r.wall_fine, r.sideways);
#endif
    float tone = clamp(0.02 + 0.62 * face.r + 0.38 * strata + 0.35 * (n.broad.r - 0.3), 0.0, 1.0);
    r.stone = mix(ROCK_DARK, ROCK, tone) * (0.74 + 0.52 * face.g);
    r.stone *= mix(1.0, 0.55 + 0.90 * r.fine.g, n.near);
#if FAR_BAND == 0
    r.stone *= mix(1.0, 0.68 + 0.64 * r.fine.r, 1.0 - smoothstep(6.0, 42.0, distance_m));
#endif
    r.stone = mix(r.stone, ROCK_RED * (0.7 + 0.6 * strata), max(s.arid, smoothstep(24.0, 30.0, s.celsius) * 0.8));
    r.rubble = SCREE * (0.70 + 0.34 * n.middle.g + 0.26 * n.grain);
    r.rubble = mix(r.rubble, DUNE, s.arid * 0.7);
    return r;
}

// Share of snow: where it is cold and not too steep. Crowns shake off most of what falls on them.
float snow_at(Noise n, Site s, float wood) {
    float cold = 1.0 - smoothstep(-3.6, -0.6, s.celsius + 1.4 * (n.middle.g - 0.5));
    float holds = 1.0 - smoothstep(0.30, 0.52, s.steep + 0.22 * (n.middle.r - 0.5));
    return cold * holds * (1.0 - 0.5 * wood * n.afar) * (1.0 - s.bed * smoothstep(-6.0, 2.0, s.celsius));
}
