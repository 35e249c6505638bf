import{a,b,c}from"./chunk-JEY6A4ED.js";import"./chunk-OPSWVUE3.js";import"./chunk-ZSVQMGKL.js";c();export{a as default,b as engine};
