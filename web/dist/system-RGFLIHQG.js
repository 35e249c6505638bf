import{a,b,c}from"./chunk-XEBRYTD5.js";import"./chunk-5UHXONKN.js";import"./chunk-46IXHASG.js";c();export{a as default,b as engine};
