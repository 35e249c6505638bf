import{a,b,c,d}from"./chunk-PIGHQWGJ.js";import"./chunk-RGGQG72C.js";import"./chunk-5XOGUIOE.js";d();export{c as Security,a as default,b as identity};
