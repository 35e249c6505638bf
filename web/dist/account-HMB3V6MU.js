import{a,b,c,d}from"./chunk-ENEHVXCP.js";import"./chunk-PS64HRFX.js";import"./chunk-DNCZJST7.js";import"./chunk-EFMXWPQZ.js";d();export{c as Security,a as default,b as identity};
