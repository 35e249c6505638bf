import{a,b,c}from"./chunk-OZ4M5CGC.js";import"./chunk-U3GKYPL2.js";c();export{a as SetPIN,b as default};
