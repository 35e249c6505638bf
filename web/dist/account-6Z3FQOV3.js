import{a,b,c,d}from"./chunk-SSDEKIIF.js";import"./chunk-3USDOHJ6.js";import"./chunk-WZQEC2GS.js";d();export{c as Security,a as default,b as identity};
