import{a,b,c}from"./chunk-3RRRUVTH.js";import"./chunk-VTR327EJ.js";c();export{a as default,b as useLate};
