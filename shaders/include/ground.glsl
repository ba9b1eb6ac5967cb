#include "frame.glsl"
#include "ground_colours.glsl"
#include "tile.glsl"
#include "woods.glsl"
#if FAR_BAND == 0
#include "material.glsl"
#endif

// What the land is made of at a point: colour from climate, slope, height above the sea and noise.

struct Ground {
    vec3 albedo;
    vec3 normal;
    float open_sky;
    float gloss;
    float shade;  // share of the sun left by relief too small for the mesh
    vec3 pressed; // albedo where a tyre pressed
    float give;   // how far the ground gives way under one: 0 rock … 1 snow
};

Ground ground_at(vec3 place, vec3 normal, vec4 climate, float distance_m) {
    vec2 world = tile_position(place.xz);
    // Bending each scale by the next larger one breaks the rows in which a tile repeats, and each scale gives
    // way to the next before the eye can see enough repeats to find them. Bent further, the bends themselves show.
    vec4 huge = texture(noise_tile, tile_uv(world, HUGE));
    vec4 own_wide = texture(noise_tile, tile_uv(world, WIDE) + 0.22 * (huge.ba - 0.5));
    vec2 bend = own_wide.ba - 0.5;
    vec4 own_broad = texture(noise_tile, tile_uv(world, BROAD) + 0.20 * bend);
    vec4 wide = mix(own_wide, huge, 0.2 + 0.8 * smoothstep(3000.0, 9000.0, distance_m));
    vec4 broad = mix(own_broad, wide, smoothstep(1200.0, 4200.0, distance_m));
#if FAR_BAND > 0
    // The far band begins beyond the range of three levels, where the middle scale has given way.
    vec4 own_middle = own_broad;
    vec4 middle = broad;
    vec4 fine = broad;
#else
    vec4 own_middle = texture(noise_tile, tile_uv(world, MIDDLE) + 0.16 * bend + 0.14 * (own_broad.ba - 0.5));
    vec4 middle = mix(own_middle, broad, 0.25 + 0.75 * smoothstep(120.0, 360.0, distance_m));
    // Without it the texels of the middle scale would show as a patchwork of rectangles underfoot. Where there is
    // no anisotropic filtering a sharper level is read, or grass blurs a few metres ahead.
    vec4 fine = texture(noise_tile, tile_uv(world, FINE), DETAIL > 0 ? 0.0 : -0.9);
#endif
    float near = 1.0 - smoothstep(40.0, 190.0, distance_m);
#if FAR_BAND == 0
    float close = 1.0 - smoothstep(6.0, 42.0, distance_m);
#endif
    float above = place.y + camera.y;
    float grain = mix(0.5, fine.g, near);
    float rough = (wide.r - 0.5) * 0.9 + (middle.r - 0.5) * 0.7 + (grain - 0.5) * 0.5;

    float patchy = (huge.r - 0.5) * 0.5 + (broad.r - 0.5) * 0.55 + (middle.r - 0.5) * 0.35;

    // The climate is midsummer's; deserts and forests go by the year, turf and snow by the season.
    float yearly = climate.r * 60.0 - 20.0 + rough * 5.0 + season.z;
    float celsius = yearly + season.x - season.z;
    float humid = clamp(climate.g + season.y, 0.0, 1.0);
    // Below the sea as the world was made nothing has grown.
    float bed_share = 1.0 - smoothstep(-1.8, 0.5, above - waters.w + 1.6 * rough);
    float steep = 1.0 - normal.y;
    float arid = smoothstep(19.0, 25.0, yearly) * (1.0 - smoothstep(0.22, 0.42, humid + 0.15 * rough));

    // Turf: straw where dry, lush where wet, tan above the trees.
    vec3 turf = mix(STRAW, LUSH, smoothstep(0.06, 0.66, humid + patchy * 0.55));
    turf = mix(turf, STRAW, 0.45 * leaves.x + 0.30 * leaves.y);
    turf = mix(turf, LUSH, 0.35 * leaves.z);
    turf = mix(turf, ALPINE, 1.0 - smoothstep(1.5, 8.5, celsius));
    turf *= 0.80 + 0.40 * middle.g;
    float soil = near * smoothstep(0.60, 0.82, fine.r + 0.25 * (middle.r - 0.5));
    turf = mix(turf, SOIL, 0.40 * soil);
    // Tufts: dark between them, their tips dry.
    float tuft = smoothstep(0.18, 0.82, fine.g);
    turf *= mix(vec3(1.0), mix(vec3(0.70, 0.74, 0.70), vec3(1.38, 1.30, 1.14), tuft), near);
    turf = mix(turf, DUNE * (0.86 + 0.28 * middle.r), arid);

    // Forest: needles on the floor up close, crowns from afar. Compared with noise down to the size of a crown,
    // the density frays into single trees at the rim and opens into glades inside.
    float afar = smoothstep(60.0, 520.0, distance_m);
    float blur = smoothstep(1500.0, 9000.0, distance_m);
    float crown = middle.g;
    float stand = 0.50 + (own_broad.r - 0.5) * 0.55 + (own_wide.r - 0.5) * 0.45 + (crown - 0.5) * (1.1 * afar + 0.2);
    float reach = mix(0.10, 0.26, blur);
    float wood = smoothstep(-reach, reach, climate.a * standing_share(climate) * (1.06 + reach) - max(stand, 0.02 + reach));
    wood *= 1.0 - bed_share;
    // Scrub and lone trees in the grass: too small for the climate's grid.
    float scrub = smoothstep(0.62, 0.80, 0.5 * crown + 0.5 * own_broad.r + 0.30 * (wide.r - 0.5)) * afar;
    scrub *= smoothstep(0.20, 0.50, humid) * smoothstep(2.5, 7.0, yearly) * (1.0 - arid) * (1.0 - bed_share);
    float tone = clamp(0.5 + patchy * 1.3 + (crown - 0.5) * 0.9, 0.0, 1.0);
    vec3 crowns = mix(CANOPY, CANOPY_WARM, tone);
    // Broad leaves turn, each stand at its time, and fall; needles stay.
    float leafy = smoothstep(4.0, 13.0, yearly) * (0.22 + 0.63 * clamp((climate.g - 0.15) * 2.0, 0.0, 1.0));
    leafy = smoothstep(0.25, 0.75, leafy + 0.9 * (tone - 0.5));
    float turned = leafy * smoothstep(0.75 * crown, 0.75 * crown + 0.25, leaves.x);
    crowns = mix(crowns, mix(RUST, GOLD, clamp(0.5 + 2.2 * (own_broad.g - 0.5), 0.0, 1.0)), turned);
    crowns = mix(crowns, TWIGS, leafy * leaves.y * 0.85);
    crowns *= 0.50 + 1.0 * crown;
    vec3 forest = mix(mix(turf, NEEDLES * (0.6 + 0.8 * grain), 0.62), crowns, afar);
    vec3 albedo = mix(mix(turf, crowns, 0.75 * scrub), forest, wood);

    // Silt, sand and weed of a bed that fell dry.
    vec3 silt = mix(SILT, SAND * 0.8, smoothstep(0.35, 0.70, broad.g + 0.5 * (middle.r - 0.5)));
    silt *= 0.72 + 0.56 * middle.g;
    silt = mix(silt, WEED, 0.75 * smoothstep(0.58, 0.74, middle.r * 0.6 + own_broad.r * 0.4));
    silt *= mix(1.0, 0.70 + 0.60 * fine.g, near);
    albedo = mix(albedo, silt, bed_share);

    // Bare rock where the climate says so or where it is too steep for soil; scree gathers below it.
    float bare = climate.b * 0.85 + smoothstep(0.20, 0.52, steep) * 0.95 + rough * 0.42;
    float scree = smoothstep(0.26, 0.54, bare + 0.24 * (middle.g - 0.5));
    float cliff = smoothstep(0.44, 0.68, bare + 0.16 * (middle.g - 0.5));
    // Layers of rock, tilted and broken by noise. Each set goes before its layers are as thin as a pixel.
    float layers = above + 0.16 * world.x + (own_wide.r - 0.5) * 190.0 + (own_broad.r - 0.5) * 70.0;
    float thin = 0.0;
#if DETAIL > 0
    thin = sin(layers * 0.19 + (middle.r - 0.5) * 7.0) * (1.0 - smoothstep(350.0, 1500.0, distance_m));
#endif
    float thick = sin(layers * 0.047 + (own_broad.g - 0.5) * 3.0) * (1.0 - smoothstep(1800.0, 6500.0, distance_m));
    float strata = 0.5 + (0.22 * thin + 0.26 * thick) * (0.35 + 1.3 * own_broad.r);
    vec4 face = middle;
#if DETAIL > 0 && FAR_BAND == 0
    // On walls the map seen from above smears: look from the side there.
    float sideways = smoothstep(0.10, 0.40, steep);
    float facing_z = normal.z * normal.z / max(normal.x * normal.x + normal.z * normal.z, 1e-4);
    vec4 wall = mix(
        texture(noise_tile, vec2(world.y, above) * WALL),
        texture(noise_tile, vec2(world.x, above) * WALL),
        facing_z
    );
    vec4 wall_fine = mix(
        texture(noise_tile, vec2(world.y, above) * WALL_FINE),
        texture(noise_tile, vec2(world.x, above) * WALL_FINE),
        facing_z
    );
    face = mix(middle, wall, sideways * (1.0 - smoothstep(700.0, 2200.0, distance_m)));
    fine = mix(fine, wall_fine, sideways);
#endif
    vec3 stone = mix(ROCK_DARK, ROCK, clamp(0.02 + 0.62 * face.r + 0.38 * strata + 0.35 * (broad.r - 0.3), 0.0, 1.0));
    stone *= 0.74 + 0.52 * face.g;
    stone *= mix(1.0, 0.55 + 0.90 * fine.g, near);
#if FAR_BAND == 0
    stone *= mix(1.0, 0.68 + 0.64 * fine.r, close);
#endif
    stone = mix(stone, ROCK_RED * (0.7 + 0.6 * strata), max(arid, smoothstep(24.0, 30.0, celsius) * 0.8));
    vec3 rubble = SCREE * (0.70 + 0.34 * middle.g + 0.26 * grain);
    rubble = mix(rubble, DUNE, arid * 0.7);
    albedo = mix(albedo, rubble, scree * (1.0 - 0.75 * wood));
    albedo = mix(albedo, stone, cliff);

    // Snow lies where it is cold and not too steep.
    float cold = 1.0 - smoothstep(-3.6, -0.6, celsius + 1.4 * (middle.g - 0.5));
    float holds = 1.0 - smoothstep(0.30, 0.52, steep + 0.22 * (middle.r - 0.5));
    // Crowns shake off most of what falls on them.
    float snow = cold * holds * (1.0 - 0.5 * wood * afar) * (1.0 - bed_share * smoothstep(-6.0, 2.0, celsius));
    // Wind packs it here and leaves it loose there.
    albedo = mix(albedo, SNOW * (0.90 + 0.10 * smoothstep(0.3, 0.7, 0.6 * own_broad.g + 0.4 * middle.g)), snow);

    // Beach and the wet strip along the water.
    float shore = above - sea.y + rough * 1.2;
    float beach = (1.0 - smoothstep(1.2, 3.4, shore)) * (1.0 - smoothstep(0.16, 0.34, steep)) * (1.0 - snow);
    albedo = mix(albedo, SAND * (0.80 + 0.4 * grain), beach * (1.0 - 0.4 * bed_share));
    float wet = 1.0 - smoothstep(0.10 + 0.6 * waters.y, 0.55 + 1.3 * waters.y, above - sea.y + 0.25 * (middle.r - 0.5));
    albedo *= 1.0 - 0.45 * wet;

#if FAR_BAND == 0
    float lush = smoothstep(0.34, 0.54, humid + patchy * 0.55) * smoothstep(1.5, 8.5, celsius);
    float bed = (1.0 - snow) * (1.0 - beach);
    float soft = bed * (1.0 - cliff) * (1.0 - scree);
    float turfy = soft * (1.0 - wood) * (1.0 - arid);
    Strongest strongest = Strongest(LAYER_GRASS, LAYER_GRASS, turfy * (1.0 - lush) * (1.0 - 0.7 * soil), 0.0);
    offer(strongest, LAYER_MEADOW, turfy * lush * (1.0 - 0.7 * soil));
    offer(strongest, LAYER_FOREST_FLOOR, soft * wood);
    offer(strongest, LAYER_SCREE, bed * scree * (1.0 - cliff));
    offer(strongest, LAYER_ROCK, bed * cliff);
    offer(strongest, LAYER_SAND, max(soft * arid, beach * (1.0 - snow)));
    offer(strongest, LAYER_SNOW, snow);
    offer(strongest, LAYER_MUD, max(turfy * soil * 0.7, soft * wet * 0.8));
#if DETAIL > 0
    float side = sideways * max(cliff, scree);
#else
    float side = smoothstep(0.22, 0.5, steep);
    float facing_z = 0.0;
#endif
    Detail detail = detail_at(strongest, place, normal, own_middle.g, side, facing_z, distance_m);
    albedo *= detail.tint;
    vec2 micro_tilt = micro_slope(world, distance_m);
#endif

    // Relief finer than the mesh: strong on rock and crowns, faint on snow.
    float bump = mix(mix(0.16, 0.50, max(wood, scrub) * afar), 0.60, cliff) * (1.0 - 0.30 * snow);
    vec3 dent = vec3(0.0);
#if DETAIL > 0 && FAR_BAND == 0
    bump *= 1.0 - 0.9 * sideways;
    vec2 knock = (wall.ba - 0.5) * (1.0 - smoothstep(900.0, 3500.0, distance_m)) + (wall_fine.ba - 0.5) * 0.8 * near;
    dent = vec3(knock.x * facing_z, knock.y, knock.x * (1.0 - facing_z)) * (1.3 * sideways * cliff * (1.0 - snow));
#endif
    vec2 tilt = tile_slope(own_broad, BROAD) * bump * 0.7 * smoothstep(120.0, 360.0, distance_m)
        * (1.0 - smoothstep(2500.0, 7000.0, distance_m));
    tilt += tile_slope(own_wide, WIDE) * bump * 0.5 * smoothstep(600.0, 2500.0, distance_m)
        * (1.0 - smoothstep(6000.0, 16000.0, distance_m));
    float flat_near = 1.0 - 0.25 * snow;
#if DETAIL > 0 && FAR_BAND == 0
    flat_near *= 1.0 - sideways;
#endif
#if FAR_BAND == 0
    tilt += tile_slope(own_middle, MIDDLE) * bump * (1.0 - smoothstep(150.0, 360.0, distance_m));
    tilt += detail.slope * (0.7 - 0.7 * smoothstep(30.0, 110.0, distance_m)) + micro_tilt;
    dent += detail.dent * (1.0 - smoothstep(30.0, 110.0, distance_m));
    tilt += tile_slope(fine, FINE) * near * (0.24 + 0.44 * cliff) * flat_near;
#endif
    // Coarse levels average slopes away: from afar the land is lit a little steeper than it is, as maps are.
    vec2 steeper = normal.xz * (0.30 * smoothstep(500.0, 4000.0, distance_m));
    Ground found;
    found.albedo = albedo;
    found.normal = normalize(normal + vec3(steeper.x - tilt.x, 0.0, steeper.y - tilt.y) - dent);
    found.open_sky = 1.0 - 0.35 * wood * (1.0 - crown) - 0.22 * cliff * (1.0 - middle.r);
    found.shade = 1.0;
    found.pressed = albedo;
    found.give = 0.0;
#if FAR_BAND == 0
    found.open_sky *= mix(1.0, 0.62 + 0.76 * detail.height, close);
    found.shade = detail.shade;
    // Bent grass and earth, needles trodden in, damp sand from below, packed snow.
    vec3 mark = mix(mix(SOIL * 0.62, turf * 0.55, 0.45 * (1.0 - soil)), NEEDLES * 0.42, wood);
    mark = mix(mark, DUNE * 0.62, arid);
    mark = mix(mark, SILT * 0.60, bed_share);
    mark = mix(mark, rubble * 0.72, scree);
    mark = mix(mark, SAND * 0.60, beach * (1.0 - 0.4 * bed_share));
    found.pressed = mix(mark, SNOW * vec3(0.66, 0.71, 0.80), snow) * (1.0 - 0.3 * wet);
    float yields = mix(mix(0.62, 0.75, max(wood, soil)), 0.90, max(arid, bed_share));
    yields = mix(yields, 0.30, scree) * (1.0 - cliff);
    found.give = mix(max(yields, 0.9 * beach), 1.0, snow);
#endif
    found.gloss = max(wet * 0.6, snow * 0.25);
    return found;
}
