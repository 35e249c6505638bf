import{d as a,e as b,f as c}from"./chunk-XO5BUBR3.js";import"./chunk-OCRVK5EA.js";import"./chunk-EHK2P7VO.js";import"./chunk-WRJ6R7OA.js";c();export{a as default,b as enters};
