import{a,b,c}from"./chunk-CCXWVWBA.js";import"./chunk-WIOF7SXJ.js";import"./chunk-VTR327EJ.js";c();export{a as default,b as engine};
