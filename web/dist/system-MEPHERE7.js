import{a,b,c}from"./chunk-YUI3PUN5.js";import"./chunk-3KP2CUTI.js";import"./chunk-5XOGUIOE.js";c();export{a as default,b as engine};
