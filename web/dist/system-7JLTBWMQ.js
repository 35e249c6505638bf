import{a,b,c}from"./chunk-L6SOFWKO.js";import"./chunk-35SMX6UC.js";import"./chunk-NMUK7DXM.js";c();export{a as default,b as engine};
