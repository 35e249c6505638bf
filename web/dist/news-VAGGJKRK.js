import{a,b,c}from"./chunk-OPIE4M7S.js";import"./chunk-7F5WRZ6E.js";c();export{b as default,a as tabs};
