import{a,b,c}from"./chunk-X47UYEDM.js";import"./chunk-A4RY52F3.js";import"./chunk-HCVERMU2.js";c();export{a as default,b as engine};
