import{a,b,c}from"./chunk-PS64HRFX.js";import"./chunk-EFMXWPQZ.js";c();export{a as SetPIN,b as default};
