import{a,b,c}from"./chunk-WG4KIK2F.js";import"./chunk-26IV46HU.js";import"./chunk-SM5NGPOV.js";c();export{a as default,b as engine};
