import{a,b,c}from"./chunk-CVJAX3Z7.js";import"./chunk-WRJ6R7OA.js";c();export{b as Push,a as renewPush};
