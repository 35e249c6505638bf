import{a,b,c,d}from"./chunk-BGZ7TTKZ.js";import"./chunk-DIDTZ5EF.js";import"./chunk-ZSVQMGKL.js";d();export{c as Security,a as default,b as identity};
