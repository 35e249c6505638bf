import{a,b,c}from"./chunk-E62V3DTM.js";import"./chunk-WXQVR26E.js";c();export{b as default,a as tabs};
