import{a,b,c}from"./chunk-XXWPXN5C.js";import"./chunk-WTA7P345.js";c();export{b as default,a as tabs};
