import{a,b,c}from"./chunk-CWXG4M4W.js";import"./chunk-5XOGUIOE.js";c();export{a as default,b as useLate};
