import{a,b,c}from"./chunk-K3LMZMQD.js";import"./chunk-WNNV653E.js";import"./chunk-7F5WRZ6E.js";c();export{a as default,b as engine};
