import{a,b,c}from"./chunk-RTRCNKCJ.js";import"./chunk-WJKLBVRW.js";import"./chunk-BKMNMJ4E.js";c();export{a as default,b as engine};
