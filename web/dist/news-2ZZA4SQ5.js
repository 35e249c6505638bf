import{a,b,c}from"./chunk-CAGLV4JO.js";import"./chunk-5XOGUIOE.js";c();export{b as default,a as tabs};
