import{a,b,c,d}from"./chunk-GTUN5IV2.js";import"./chunk-AHRVXRLK.js";import"./chunk-RZXHXUZY.js";d();export{c as Security,a as default,b as identity};
