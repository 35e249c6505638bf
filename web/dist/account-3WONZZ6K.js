import{a,b,c,d}from"./chunk-QIYKV5OQ.js";import"./chunk-B3GQDRL4.js";import"./chunk-VH63SMTT.js";d();export{c as Security,a as default,b as identity};
