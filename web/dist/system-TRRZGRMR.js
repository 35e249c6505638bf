import{a,b,c}from"./chunk-GC2TTVCJ.js";import"./chunk-IB3N7XER.js";import"./chunk-U3GKYPL2.js";c();export{a as default,b as engine};
