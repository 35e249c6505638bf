import{a,b,c}from"./chunk-QQHT2PUO.js";import"./chunk-WTA7P345.js";c();export{a as default,b as useLate};
