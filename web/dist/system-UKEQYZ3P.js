import{a,b,c}from"./chunk-MJ554LLY.js";import"./chunk-PESGGN27.js";import"./chunk-5H5K2FAG.js";c();export{a as default,b as engine};
