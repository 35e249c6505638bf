import{a,b,c}from"./chunk-FBYTJW5K.js";import"./chunk-WZQEC2GS.js";c();export{a as default,b as useLate};
