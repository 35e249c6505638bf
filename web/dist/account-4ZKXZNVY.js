import{a,b,c,d}from"./chunk-IXMVP4J5.js";import"./chunk-FBMRTTSZ.js";import"./chunk-LZA7HITR.js";d();export{c as Security,a as default,b as identity};
