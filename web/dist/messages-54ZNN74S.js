import{a,b,c}from"./chunk-32RBAUWA.js";import"./chunk-7F5WRZ6E.js";c();export{a as default,b as useLate};
