#include "frame.glsl"
#include "ground_colours.glsl"
#include "ground_cover.glsl"
#include "ground_site.glsl"
#include "tile.glsl"
#if FAR_BAND == 0
#include "material.glsl"
#endif

// What the land is made of at a point: each cover over those below it, detail of the strongest, relief.

struct Ground {
    vec3 albedo;
    vec3 normal;
    float open_sky;
    float gloss;
    float shade;   // share of the sun left by relief too small for the mesh
    vec3 pressed;  // albedo where a tyre pressed
    float give;    // how far the ground gives way under one: 0 rock … 1 snow
};

// How much of each cover there is, after those that lie on it.
struct Cover {
    vec3 turf;
    Woods woods;
    Rock rock;
    float soil, snow, beach, wet;
};

#if FAR_BAND == 0
Detail cover_detail(Cover c, Noise n, Site s, vec3 place, vec3 normal, float distance_m) {
    float lush = smoothstep(0.34, 0.54, s.humid + n.patchy * 0.55) * smoothstep(1.5, 8.5, s.celsius);
    float bed = (1.0 - c.snow) * (1.0 - c.beach);
    float soft = bed * (1.0 - c.rock.cliff) * (1.0 - c.rock.scree);
    float turfy = soft * (1.0 - c.woods.wood) * (1.0 - s.arid);
    Strongest strongest = Strongest(LAYER_GRASS, LAYER_GRASS, turfy * (1.0 - lush) * (1.0 - 0.7 * c.soil), 0.0);
    offer(strongest, LAYER_MEADOW, turfy * lush * (1.0 - 0.7 * c.soil));
    offer(strongest, LAYER_FOREST_FLOOR, soft * c.woods.wood);
    offer(strongest, LAYER_SCREE, bed * c.rock.scree * (1.0 - c.rock.cliff));
    offer(strongest, LAYER_ROCK, bed * c.rock.cliff);
    offer(strongest, LAYER_SAND, max(soft * s.arid, c.beach * (1.0 - c.snow)));
    offer(strongest, LAYER_SNOW, c.snow);
    offer(strongest, LAYER_MUD, max(turfy * c.soil * 0.7, soft * c.wet * 0.8));
#if DETAIL > 0
    float side = c.rock.sideways * max(c.rock.cliff, c.rock.scree);
#else
    float side = smoothstep(0.22, 0.5, s.steep);
#endif
    return detail_at(strongest, place, normal, n.own_middle.g, side, c.rock.facing_z, distance_m);
}

// What a tyre leaves: bent grass and earth, needles trodden in, damp sand from below, packed snow.
vec3 pressed_colour(Cover c, Site s) {
    vec3 mark = mix(mix(SOIL * 0.62, c.turf * 0.55, 0.45 * (1.0 - c.soil)), NEEDLES * 0.42, c.woods.wood);
    mark = mix(mark, DUNE * 0.62, s.arid);
    mark = mix(mark, SILT * 0.60, s.bed);
    mark = mix(mark, c.rock.rubble * 0.72, c.rock.scree);
    mark = mix(mark, SAND * 0.60, c.beach * (1.0 - 0.4 * s.bed));
    return mix(mark, SNOW * vec3(0.66, 0.71, 0.80), c.snow) * (1.0 - 0.3 * c.wet);
}

float gives_way(Cover c, Site s) {
    float yields = mix(mix(0.62, 0.75, max(c.woods.wood, c.soil)), 0.90, max(s.arid, s.bed));
    yields = mix(yields, 0.30, c.rock.scree) * (1.0 - c.rock.cliff);
    return mix(max(yields, 0.9 * c.beach), 1.0, c.snow);
}
#endif

Ground ground_at(vec3 place, vec3 normal, vec4 climate, float distance_m) {
    Noise n = noise_at(place.xz, distance_m);
    Site s = site_at(place, normal, climate, n);
    Cover c;
    c.turf = turf_at(n, s);
    c.soil = bare_soil(n);
    c.woods = woods_at(n, s, climate, distance_m);
    c.rock = rock_at(n, s, normal, climate, distance_m);
    c.snow = snow_at(n, s, c.woods.wood);
    float shore = s.above - sea.y + n.rough * 1.2;
    c.beach = (1.0 - smoothstep(1.2, 3.4, shore)) * (1.0 - smoothstep(0.16, 0.34, s.steep)) * (1.0 - c.snow);
    float dry_m = s.above - sea.y + 0.25 * (n.middle.r - 0.5);
    c.wet = 1.0 - smoothstep(0.10 + 0.6 * waters.y, 0.55 + 1.3 * waters.y, dry_m);
    float wood = c.woods.wood, cliff = c.rock.cliff;

    // Needles on the forest's floor up close, crowns from afar.
    vec3 forest = mix(mix(c.turf, NEEDLES * (0.6 + 0.8 * n.grain), 0.62), c.woods.crowns, n.afar);
    vec3 albedo = mix(mix(c.turf, c.woods.crowns, 0.75 * c.woods.scrub), forest, wood);
    albedo = mix(albedo, silt_at(n), s.bed);
    albedo = mix(albedo, c.rock.rubble, c.rock.scree * (1.0 - 0.75 * wood));
    albedo = mix(albedo, c.rock.stone, cliff);
    // Wind packs snow here and leaves it loose there.
    float firm = smoothstep(0.3, 0.7, 0.6 * n.own_broad.g + 0.4 * n.middle.g);
    albedo = mix(albedo, SNOW * (0.90 + 0.10 * firm), c.snow);
    albedo = mix(albedo, SAND * (0.80 + 0.4 * n.grain), c.beach * (1.0 - 0.4 * s.bed));
    albedo *= 1.0 - 0.45 * c.wet;
#if FAR_BAND == 0
    Detail detail = cover_detail(c, n, s, place, normal, distance_m);
    albedo *= detail.tint;
#endif

    // Relief finer than the mesh: strong on rock and crowns, fainter on snow.
    float bump = mix(mix(0.16, 0.50, max(wood, c.woods.scrub) * n.afar), 0.60, cliff) * (1.0 - 0.30 * c.snow);
    vec3 dent = vec3(0.0);
#if DETAIL > 0 && FAR_BAND == 0
    bump *= 1.0 - 0.9 * c.rock.sideways;
    vec2 knock = (c.rock.wall.ba - 0.5) * (1.0 - smoothstep(900.0, 3500.0, distance_m))
        + (c.rock.wall_fine.ba - 0.5) * 0.8 * n.near;
    dent = vec3(knock.x * c.rock.facing_z, knock.y, knock.x * (1.0 - c.rock.facing_z));
    dent *= 1.3 * c.rock.sideways * cliff * (1.0 - c.snow);
#endif
    vec2 tilt = tile_slope(n.own_broad, BROAD) * bump * 0.7 * smoothstep(120.0, 360.0, distance_m)
        * (1.0 - smoothstep(2500.0, 7000.0, distance_m));
    tilt += tile_slope(n.own_wide, WIDE) * bump * 0.5 * smoothstep(600.0, 2500.0, distance_m)
        * (1.0 - smoothstep(6000.0, 16000.0, distance_m));
#if FAR_BAND == 0
    float flat_near = (1.0 - 0.25 * c.snow) * (1.0 - c.rock.sideways);
    tilt += tile_slope(n.own_middle, MIDDLE) * bump * (1.0 - smoothstep(150.0, 360.0, distance_m));
    tilt += detail.slope * (0.7 - 0.7 * smoothstep(30.0, 110.0, distance_m)) + micro_slope(n.world, distance_m);
    dent += detail.dent * (1.0 - smoothstep(30.0, 110.0, distance_m));
    tilt += tile_slope(c.rock.fine, FINE) * n.near * (0.24 + 0.44 * cliff) * flat_near;
#endif
    // Coarse levels average slopes away: from afar the land is lit a little steeper than it is, as maps are.
    vec2 steeper = normal.xz * (0.30 * smoothstep(500.0, 4000.0, distance_m));
    Ground found;
    found.albedo = albedo;
    found.normal = normalize(normal + vec3(steeper.x - tilt.x, 0.0, steeper.y - tilt.y) - dent);
    found.open_sky = 1.0 - 0.35 * wood * (1.0 - n.middle.g) - 0.22 * cliff * (1.0 - n.middle.r);
    found.shade = 1.0;
    found.pressed = albedo;
    found.give = 0.0;
#if FAR_BAND == 0
    found.open_sky *= mix(1.0, 0.62 + 0.76 * detail.height, 1.0 - smoothstep(6.0, 42.0, distance_m));
    found.shade = detail.shade;
    found.pressed = pressed_colour(c, s);
    found.give = gives_way(c, s);
#endif
    found.gloss = max(c.wet * 0.6, c.snow * 0.25);
    return found;
}
