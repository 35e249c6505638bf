import{a,b,c}from"./chunk-VXKSOEZB.js";import"./chunk-PW66MDZP.js";import"./chunk-WRJ6R7OA.js";c();export{a as default,b as engine};
