import{a,b,c}from"./chunk-2KDKJCSS.js";import"./chunk-EFMXWPQZ.js";c();export{a as default,b as useLate};
