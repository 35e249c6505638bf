import{d as a,e as b,f as c}from"./chunk-B6TEXFRZ.js";import"./chunk-V2DFZXEI.js";import"./chunk-OSDBEMY3.js";import"./chunk-46IXHASG.js";c();export{a as default,b as enters};
