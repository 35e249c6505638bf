import{a,b,c,d}from"./chunk-NUHGFNDV.js";import"./chunk-OZ4M5CGC.js";import"./chunk-U3GKYPL2.js";d();export{c as Security,a as default,b as identity};
