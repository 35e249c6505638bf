import{a,b,c}from"./chunk-FBMRTTSZ.js";import"./chunk-LZA7HITR.js";c();export{a as SetPIN,b as default};
